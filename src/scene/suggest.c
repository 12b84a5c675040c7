// SPDX-License-Identifier: MIT
// The edit distance of Levenshtein by rows, for words so near in length that it can be within the limit.
#include "tact/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DISTANCE_MAX 2
#define WORD_MAX 255
#define CUT (-1)  // the word is the name up to a dot

static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

// Both words have at most WORD_MAX bytes. Two neighbours that changed places count as one edit (optimal string alignment).
static int distance(const char *a, size_t a_size, const char *b, size_t b_size) {
    TACT_ASSERT(a_size <= WORD_MAX && b_size <= WORD_MAX);
    int row[WORD_MAX + 1], above[WORD_MAX + 1] = {0};
    // row: distances of the first i letters of a; above: of the first i - 1, as far as they are still needed
    for (size_t j = 0; j <= b_size; j++) row[j] = (int)j;
    for (size_t i = 1; i <= a_size; i++) {
        int diagonal = row[0], corner = 0;
        row[0] = (int)i;
        for (size_t j = 1; j <= b_size; j++) {
            int replace = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
            int swap = swapped ? corner + 1 : replace;
            // corner: two rows up, two columns left
            corner = above[j - 1];
            above[j - 1] = diagonal;
            diagonal = row[j];
            row[j] = least(least(replace, swap), least(row[j], row[j - 1]) + 1);
        }
        above[b_size] = diagonal;
    }
    return row[b_size];
}

// Whether a list of names holds a name.
static bool is_listed(const char *all, const char *name) {
    size_t size = strlen(name);
    // whole names only, between commas
    for (const char *at = strstr(all, name); at; at = strstr(at + 1, name))
        if ((at == all || at[-1] == ' ') && (at[size] == ',' || at[size] == '\0')) return true;
    return false;
}

// Names beside each other; ... stands for those for which there is no room.
static void list_name(tact_nearest *nearest, const char *name) {
    static const char more[] = ", ...";
    char clean[48], quoted[sizeof clean + 2];
    if (tact_quote_escape(clean, sizeof clean, name, strlen(name)) == 0) return;
    const char *mark = strchr(clean, ',') ? "\"" : "";
    snprintf(quoted, sizeof quoted, "%s%s%s", mark, clean, mark);
    size_t used = strlen(nearest->all), size = strlen(quoted), room = sizeof nearest->all - sizeof more - used;
    bool ended = used >= 3 && strcmp(nearest->all + used - 3, "...") == 0;
    if (ended || is_listed(nearest->all, quoted)) return;
    if (size + 2 < room)
        snprintf(nearest->all + used, room, "%s%s", used > 0 ? ", " : "", quoted);
    else
        snprintf(nearest->all + used, sizeof more, "%s", used > 0 ? more : more + 2);
}

void tact_nearest_try(tact_nearest *nearest, const char *name) {
    TACT_ASSERT(nearest && name);
    list_name(nearest, name);
    size_t a = strlen(nearest->word), b = strlen(name);
    size_t longer = a > b ? a : b;
    // a path with dots ends its step at the first dot of a name
    if (a > 0 && b > a && name[a] == '.' && memcmp(nearest->word, name, a) == 0 &&
        !(nearest->distance == CUT && nearest->best && strlen(nearest->best) <= b)) {
        nearest->best = name;
        nearest->distance = CUT;
    }
    if (longer > WORD_MAX || longer - (a < b ? a : b) > DISTANCE_MAX) return;
    int d = distance(nearest->word, a, name, b);
    if (d > DISTANCE_MAX || 2 * d > (int)longer) return;
    if (nearest->best && d >= nearest->distance) return;
    nearest->best = name;
    nearest->distance = d;
}

void tact_nearest_try_all(tact_nearest *nearest, const char *const *names) {
    for (; *names; names++) tact_nearest_try(nearest, *names);
}

tact_hint tact_nearest_hint(const tact_nearest *nearest) {
    tact_hint hint = {""};
    if (nearest->best)
        snprintf(hint.text, sizeof hint.text, " (did you mean %.80s?%s)", tact_quote(nearest->best).text,
                 nearest->distance == CUT ? " --set needs slashes: q/NAME" : "");
    else if (nearest->all[0])
        snprintf(hint.text, sizeof hint.text, " (there are: %s)", nearest->all);
    return hint;
}

// What other formats call it = what it is here, the first one that may stand there; each between blanks.
static const char aliases[] =
    " diameter=radius kp=stiffness kd=damping pos=xyz pos=position position=xyz xyz=position translation=xyz origin=xyz "
    "euler=rpy rotation=rpy orientation=quat quat=orientation quaternion=orientation quaternion=quat size=radius "
    "size=radii half_extents=size halfsize=size height=length friction=mu timestep=dt range=limits lower=limits "
    "upper=limits half_size=size extents=size time_step=dt static_friction=mu coefficient=mu contacts=pairs "
    "inertia_tensor=inertia center_of_mass=com cuboid=box ground=plane halfspace=plane constant=fixed fromto=length "
    "gain=stiffness factor=ratio multiplier=ratio link=body links=bodies joints=bodies actuators=drives geoms=shapes "
    "collisions=shapes qpos=q qvel=v position=q initial=state start=state hinge=revolute slide=prismatic slider=prismatic "
    "floating=free mesh=grid disc=circle cube=box ball=sphere solver=options compiler=options option=options init=state "
    "initial_state=state control=command controls=command ctrl=command action=command ipos=com p=stiffness k=stiffness "
    "d=damping effort=force_limit max_force=force_limit forcerange=force_limit weld=fixed rigid=fixed static=fixed "
    "rotational=revolute rotary=revolute pin=revolute ";

enum { LISTED = 200, ALIAS_MOST = 40 };

// What stands elsewhere here: words that other tools have at that place, each between blanks, of objects that have the key
// "mark"; and where it goes. They hold before words that are near in letters.
static const struct {
    const char *mark, *words, *where;
} strangers[] = {
    {"options", " timestep time_step dt h step_size ", "here it is \"dt\" in \"options\": {\"options\": {\"dt\": 0.01}}"},
    {"options", " friction friction_coefficient ", "here it is \"mu\", a number for all pairs"},
    {"options", " time duration steps nsteps num_steps ", "how long is told on the command line: tact run SCENE --steps N"},
    {"options", " include model models urdf mjcf ", "robots of other files are \"robots\": [{\"file\": \"hand.urdf\"}]"},
    {"options", " comment comments _comment description note notes ", "a scene has no comments"},
    {"v", " qd qdot q_dot qvel velocity velocities ", "here it is \"v\""},
    {"kappa", " gravity g mu restitution law max_contacts ", "it stands beside \"options\", at the top of the scene"},
    {"options", " unit units ", "all is in SI units and radians"},
    {"options", " ground floor table objects object ", "here it is a body in \"bodies\" or a shape of \"world\" in \"shapes\""},
    {"options", " world worldbody ", "bodies are in \"bodies\", what stands still is a shape of the body \"world\""},
    {"inertia", " pos position euler quaternion orientation origin ",
     "here it is \"xyz\", \"rpy\", \"quat\" of \"joint\", or \"state\""},
    {"inertia", " geom geometry shape shapes visual collision size radius friction mu color ",
     "here it is of the scene's \"shapes\""},
    {"inertia", " density ", "here it is \"mass\" and \"inertia\""},
    {"inertia", " diaginertia fullinertia ", "here it is \"inertia\": [xx, yy, zz, xy, xz, yz]"},
    {"inertia", " static fixed ", "here it is \"joint\": {\"type\": \"fixed\"}"},
    {"inertia", " q v velocity velocities linear_velocity angular_velocity ", "here it is in the scene's \"state\""},
    {"inertia", " children child bodies ", "here each body names its \"parent\""},
    {"mimic", " damping stiffness kp kd effort max_force force_limit ", "here it is of a drive, in the scene's \"drives\""},
    {"mimic", " friction frictionloss ",
     "here it is of \"springs\": {\"joints\": {NAME: 1}, \"stiffness\": 0, \"damping\": .., \"force_limit\": ..}"},
    {"mimic", " velocity ", "joints have no limit of speed here"},
    {"mimic", " parent child ", "here it is of the body"},
    {"conaffinity", " geometry shape ", "here it is \"type\", with its sizes beside it"},
    {"conaffinity", " mass density inertia ", "here it is of the body: \"mass\" and \"inertia\""},
    {"conaffinity", " color colour rgba material ", "shapes have no colours"},
    {"conaffinity", " condim ", "contacts have friction in all tangents: \"mu\""},
    {"force_limit", " target position setpoint q ", "here it is in the scene's \"command\""},
    {"prismatic", " ball spherical ", "a joint that turns every way is \"free\", or three \"revolute\" ones in a row"},
};

// Where a word goes that other tools have at this place; NULL: nowhere that is known.
static const char *find_stranger(const char *word, const char *const *names) {
    char framed[ALIAS_MOST + 3];
    if (strlen(word) > ALIAS_MOST) return NULL;
    snprintf(framed, sizeof framed, " %s ", word);
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++)
        for (const char *const *name = strstr(strangers[i].words, framed) ? names : (const char *const[]){NULL}; *name; name++)
            if (strcmp(*name, strangers[i].mark) == 0) return strangers[i].where;
    return NULL;
}

static const char *find_alias(const char *word, const char *const *names) {
    char framed[ALIAS_MOST + 3];
    if (strlen(word) > ALIAS_MOST) return NULL;
    snprintf(framed, sizeof framed, " %s=", word);
    for (const char *at = strstr(aliases, framed); at; at = strstr(at + 1, framed)) {
        const char *meant = at + strlen(framed);
        for (const char *const *name = names; *name; name++)
            if (strlen(*name) == strcspn(meant, " ") && strncmp(*name, meant, strlen(*name)) == 0) return *name;
    }
    return NULL;
}

tact_key_hint tact_nearest_key(const char *word, const char *const *names) {
    tact_key_hint hint = {""};
    tact_nearest nearest = {.word = word};
    const char *alias = find_alias(word, names), *where = find_stranger(word, names);
    tact_nearest_try_all(&nearest, names);
    // A word that other tools use, one that is nearly the same, or the whole list.
    if (where) {
        snprintf(hint.text, sizeof hint.text, " (%s)", where);
        return hint;
    }
    if (alias) {
        const char *how = strcmp(word, "diameter") == 0 ? ", half of it" : "";
        if (strncmp(word, "half", 4) == 0 && strcmp(alias, "size") == 0) how = ", twice that";
        if (strcmp(alias, "limits") == 0) how = ": [lower, upper]";
        if (strcmp(word, "mesh") == 0)
            how = ": tact convert MESH --sdf 49 -o GRID.npy writes one; a robot's URDF or MJCF brings meshes with \"fit\"";
        snprintf(hint.text, sizeof hint.text, " (here it is %s%s)", tact_quote(alias).text, how);
        return hint;
    }
    if (nearest.best) {
        snprintf(hint.text, sizeof hint.text, "%s", tact_nearest_hint(&nearest).text);
        return hint;
    }
    size_t used = (size_t)snprintf(hint.text, sizeof hint.text, " (allowed: ");
    for (int i = 0; names[i]; i++) {
        bool last = used + strlen(names[i]) > LISTED;
        used += (size_t)snprintf(hint.text + used, sizeof hint.text - used, "%s%s", i > 0 ? ", " : "", last ? "..." : names[i]);
        if (last) break;
    }
    snprintf(hint.text + used, sizeof hint.text - used, "%s)", names[0] ? "" : "none");
    return hint;
}
