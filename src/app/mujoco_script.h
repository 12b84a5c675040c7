// SPDX-License-Identifier: MIT
// What node runs for tact_mujoco_open. Lines in: {"xml":..,"joints":[[name,offset],..],"actuators":[name,..]}, then {"q":[..]} to
// begin there at rest, or {"u":[..],"time":s}. Lines out: {"q":[..]}, or {"error":..}.
#ifndef TACT_APP_MUJOCO_SCRIPT_H
#define TACT_APP_MUJOCO_SCRIPT_H

static const char tact_mujoco_script[] = "import { createRequire } from 'node:module';\n"
                                         "import { pathToFileURL } from 'node:url';\n"
                                         "import { createInterface } from 'node:readline';\n"
                                         "const say = (o) => process.stdout.write(JSON.stringify(o) + '\\n');\n"
                                         "let mj, model, data, place, act;\n"
                                         "try {\n"
                                         "  const home = (process.env.TACT_NODE || process.cwd()) + '/x.js';\n"
                                         "  const file = createRequire(home).resolve('@mujoco/mujoco');\n"
                                         "  mj = await (await import(pathToFileURL(file))).default();\n"
                                         "} catch (e) {\n"
                                         "  const own = process.env.TACT_NODE, where = own ? ' in TACT_NODE=' + own : '';\n"
                                         "  say({ error: 'npm package @mujoco/mujoco is not there (npm install '\n"
                                         "    + '@mujoco/mujoco' + where + '): ' + (e.message || e).split('\\n')[0] });\n"
                                         "  process.exit(1);\n"
                                         "}\n"
                                         "const id = (type, name) => mj.mj_name2id(model, type.value, name);\n"
                                         "const q = () => { const x = data.qpos; return place.map((i) => x[i]); };\n"
                                         "for await (const line of createInterface({ input: process.stdin })) {\n"
                                         "  try {\n"
                                         "    const m = JSON.parse(line);\n"
                                         "    if (m.xml) {\n"
                                         "      model = mj.MjModel.from_xml_string(m.xml);\n"
                                         "      data = new mj.MjData(model);\n"
                                         "      const at = model.jnt_qposadr;\n"
                                         "      place = m.joints.map(([name, k]) => at[id(mj.mjtObj.mjOBJ_JOINT, name)] + k);\n"
                                         "      act = m.actuators.map((name) => id(mj.mjtObj.mjOBJ_ACTUATOR, name));\n"
                                         "    } else if (m.q) {\n"
                                         "      mj.mj_resetData(model, data);\n"
                                         "      place.forEach((i, k) => { data.qpos[i] = m.q[k]; });\n"
                                         "      mj.mj_forward(model, data);\n"
                                         "    } else {\n"
                                         "      act.forEach((i, k) => { data.ctrl[i] = m.u[k]; });\n"
                                         "      const n = Math.max(1, Math.round(m.time / model.opt.timestep));\n"
                                         "      for (let i = 0; i < n; i++) mj.mj_step(model, data);\n"
                                         "    }\n"
                                         "    say({ q: q() });\n"
                                         "  } catch (e) {\n"
                                         "    say({ error: String(e.message || e).split('\\n')[0] });\n"
                                         "  }\n"
                                         "}\n";

#endif
