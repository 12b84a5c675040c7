import numpy as np, torch, tact
w = tact.Worlds("hand_lift.json", 1024)
w["bodies.ball.mass"] = np.random.uniform(0.3, 0.7, w.n)       # any --set path, per world
u = np.tile(w.q[0, :w.nu], (w.n, 1)); u[:, 0] -= np.linspace(0, 0.1, w.n)
for _ in range(200):
    status = w.step(u)                                         # threads and SIMD, the same bits everywhere
print((status < 0).sum(), w.q[:, 21:24].std(0))                # views, no copies

w = tact.Worlds("roll_to_goal.json"); goal = torch.tensor([0.235, 0.02, -0.16])
knots = torch.tensor(w.q[:, :w.nu]).repeat(3, 1).requires_grad_()
adam = torch.optim.Adam([knots], lr=0.03)
for _ in range(40):
    q, force = tact.torch.rollout(w, tact.interpolate(knots, 200))   # one autograd node for the whole rollout
    loss = 1000 * ((q[:, 21:24] - goal) ** 2).sum(1).mean()
    adam.zero_grad(); loss.backward(); adam.step()
A, B = w.linearise(u[:1]); tact.view(w, "roll.html")
