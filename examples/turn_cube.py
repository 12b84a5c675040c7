# SPDX-License-Identifier: MIT
"""An Allegro hand turns a cube on its palm by a quarter, and back: a controller in closed loop with the same scene under the rigid law.

    python examples/turn_cube.py [PAGE.html]     with a page that shows where it ended
"""
import sys

import numpy as np

import tact

mpc = tact.Mpc("allegro_cube")  # a scene that comes along, or the path of your own
hand = mpc.plant()  # or your robot, whose measured coordinates take the place of hand.q[0]
for angle in (np.pi / 2, 0):
    mpc.goal = {"position": [-0.01, 0, 0.04], "orientation": [np.cos(angle / 2), 0, 0, np.sin(angle / 2)]}
    for tick in range(1500):
        u = mpc.step(hand.q[0])
        if mpc.reached or hand.step(u, steps=mpc.substeps)[0] < 0:
            break
    distance, turn = mpc.error(hand.q[0])
    print(f"{np.degrees(angle):3.0f} degrees: {'reached' if mpc.reached else 'not there'} after {tick * mpc.tick:.1f} s, "
          f"{np.degrees(turn):.1f} degrees and {1000 * distance:.1f} mm off")
if len(sys.argv) > 1:
    tact.view(hand, sys.argv[1])
