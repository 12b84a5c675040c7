// SPDX-License-Identifier: MIT
// The keys: what each does, and the list of them that is shown.
const flip = (key) => (app) => {
    app.show[key] = !app.show[key];
    app.refresh();
};
const speed = (factor) => (app) => {
    app.run.speed = Math.max(0.05, Math.min(4, app.run.speed * factor));
    app.refresh();
};
const end = (index) => (app) => {
    app.pause();
    app.seek(index);
};

// [keys, what they do, one function for each]
const KEYS = [
    ['space', 'play, pause', (app) => app.toggle()],
    ['. ,', 'one step on, one back', (app) => app.single(1), (app) => app.single(-1)],
    ['r', 'reset', (app) => app.reset()],
    ['h', 'go on from the frame that is shown', (app) => app.canGoOn() && app.goOn()],
    ['+ -', 'faster, slower', speed(1.5), speed(1 / 1.5)],
    ['l', 'next law that takes the scene', (app) => app.nextLaw()],
    ['k', 'compare with another law, beside it', (app) => app.nextCompare()],
    ['p', 'follow the goal: model predictive control', (app) => app.toggleFollow()],
    ['o', 'hold the next object; then arrows and page up, down move it, escape lets go', (app) => app.holdNext()],
    ['g', 'commands by hand, or from the scene', (app) => app.canStep() && app.takeOver(!app.run.manual)],
    ['[ ] ;', 'open, close the chosen finger, or turn the chosen joint; choose the next one', (app) => app.turn(-1), (app) => app.turn(1),
     (app) => app.chooseNext()],
    ['d', 'how the chosen finger or joint moves the object', (app) => {
        app.run.derivative = !app.run.derivative;
        app.refresh();
    }],
    ['f n x', 'forces, normals, friction cones', flip('forces'), flip('normals'), flip('cones')],
    ['b t a y', 'labels, trails, axes, meshes', flip('labels'), flip('trails'), flip('axes'), flip('meshes')],
    ['j', 'the plan of the controller', flip('plan')],
    ['z', 'record a film, end it', (app) => app.toggleRecord()],
    ['c', 'charts', (app) => app.toggleCharts()],
    ['v', 'view from the front, the side, above', (app) => app.aim(app.view + 1)],
    ['m', 'panel', (app) => (app.panel._closed ? app.panel.open() : app.panel.close())],
    ['s', 'save a picture', (app) => app.savePicture()],
    ['e', 'copy the state as scene', (app) => app.copyState()],
    ['w', 'save the undisturbed run as a trace', (app) => app.saveTrace()],
    ['i', 'open files', () => document.getElementById('file').click()],
    ['q', 'light, dark', (app) => {
        app.dark = !app.dark;
        app.theme();
    }],
    ['home end', 'first, last frame', end(0), end(Infinity)],
    ['?', 'this list', (app) => app.toggleHelp()]];
const GESTURES = [
    ['drag an object', 'pulls it by a spring while the scene runs'],
    ['click on a body', 'arrows show the forces on it; beside all bodies: those on each free one'],
    ['drag the goal', 'takes it along; by its ring, or with shift, it turns; with alt the object is pulled instead'],
    ['arrows, page up, down', 'move what is held, or the goal; with shift five times as far, or the goal turns'],
    ['drag beside objects', 'turns the view; of planar scenes moves it (one finger)'],
    ['right button', 'moves the view (two fingers)'],
    ['wheel', 'zooms (pinch)'],
    ['click in a chart', 'goes to that time'],
    ['drop files', 'scenes with their robot files, traces']];
const NAMES = { space: ' ', home: 'Home', end: 'End' };
const ACTIONS = new Map(KEYS.flatMap(([names, , ...calls]) => names.split(' ').map((name, i) => [NAMES[name] ?? name, calls[i]])));
// right, up, towards the viewer
const MOVES = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageUp: [0, 0, -1], PageDown: [0, 0, 1] };

export function listKeys(table) {
    for (const [key, what] of KEYS) {
        const row = table.insertRow();
        row.insertCell().textContent = key;
        row.insertCell().textContent = what;
    }
    const head = table.insertRow().insertCell();
    head.colSpan = 2;
    head.append(Object.assign(document.createElement('h3'), { textContent: 'Mouse and touch' }));
    for (const [gesture, what] of GESTURES) {
        const row = table.insertRow();
        row.insertCell().textContent = gesture;
        row.insertCell().textContent = what;
    }
}

export function pressKey(app, event) {
    const { target, key } = event;
    // the list of keys closes as dialogs do
    if (document.getElementById('help').open && key !== '?') return;
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.id !== 'timeline') return;
    if (app.held >= 0 && MOVES[key]) {
        app.nudge(...MOVES[key].map((x) => (event.shiftKey ? 5 : 1) * x));
    } else if (app.plan && MOVES[key] && target.id !== 'timeline') {
        app.nudgeGoal(...MOVES[key], event.shiftKey);
    } else if (key === 'Escape') {
        app.release();
    } else if (ACTIONS.has(key) && app.sides.length && !(target.tagName === 'BUTTON' && key === ' ')) {
        ACTIONS.get(key)(app);
    } else {
        return;
    }
    event.preventDefault();
}
