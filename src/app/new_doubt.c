// SPDX-License-Identifier: MIT
// What tact new is asked for and nobody means: angles in radians, lengths in millimetres, densities of other units, an object
// that the robot cannot move or touch.
#include <math.h>
#include <string.h>

#include "app/new.h"

#define THIN 10.0      // densities beyond which no solid is made [kg/m^3]
#define DENSE 23000.0  //
#define LARGER 1.5     // an object beside the robot
#define SMALLER 0.01   //

void tact_new_doubt_numbers(const tact_new_plan *of) {
    const double density = of->density;
    tact_call_doubt_degrees(of->call, "--turn", of->angle);
    if (tact_call_value(of->call, "--above") && of->above >= 1)
        tact_say("new: warning: --above %s: the unit is the metre, a millimetre is 0.001", tact_number_print(of->above).text);
    if (density < THIN || density > DENSE)
        tact_say("new: warning: --object-density %s: the unit is kg/m^3, %s: water has 1000, steel 7850",
                 tact_number_print(density).text, density < THIN ? "this is lighter than any foam" : "no metal has as many");
}

void tact_new_doubt_robot(const tact_new_plan *of) {
    const double span = of->span;
    const bool large = of->form.size > LARGER * span;
    if (span > 0 && (large || of->form.size < SMALLER * span))
        tact_say("new: warning: an object of %s m beside a robot of %s m: %s; lengths are in metres",
                 tact_rounded(of->form.size, 3).text, tact_rounded(span, 2).text,
                 large ? "no hand of it holds that" : "it falls between its fingers");
    // --on a body finds no place then, and says why
    bool touches = strcmp(of->on, "table") != 0;
    for (int s = 0; s < of->model->nshape; s++)
        touches = touches || (of->model->shape[s].body >= 0 && of->model->shape[s].body != tact_new_find_object(of->model));
    if (!touches) tact_say("new: warning: the robot has no shapes to touch the object: --fit makes them of collision meshes");
}
