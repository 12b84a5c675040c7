// SPDX-License-Identifier: MIT
// One root, no cycle. Each link has at most one carrier and each joint at most one leader: who follows these steps from
// everywhere, and stops at what was passed before, has seen every cycle in linear time.
#include <string.h>

#include "scene/urdf_parts.h"

static int next_link(const tact_urdf *urdf, int link) {
    int carrier = urdf->links[link].carrier;
    return carrier < 0 ? -1 : urdf->joints[carrier].parent;
}

static int next_joint(const tact_urdf *urdf, int joint) {
    return urdf->joints[joint].leader;
}

// calls report with one member of each cycle
static void find_cycles(const tact_urdf *urdf, int count, int (*next)(const tact_urdf *, int),
                        void (*report)(const tact_urdf *, int)) {
    int *pass = tact_draft_take(urdf->draft, (size_t)count * sizeof pass[0]);
    if (!pass) return;
    memset(pass, 0, (size_t)count * sizeof pass[0]);
    for (int start = 0; start < count; start++) {
        int i = start;
        while (i >= 0 && pass[i] == 0) {
            pass[i] = start + 1;
            i = next(urdf, i);
        }
        if (i >= 0 && pass[i] == start + 1) report(urdf, i);
    }
}

static void report_link(const tact_urdf *urdf, int link) {
    tact_xml_refuse(&urdf->xml, urdf->joints[urdf->links[link].carrier].node, NULL,
                    "link %s is carried by itself: the joints form a cycle", tact_quote(urdf->links[link].name).text);
}

static void report_joint(const tact_urdf *urdf, int joint) {
    tact_xml_refuse(&urdf->xml, tact_xml_find(&urdf->xml, urdf->joints[joint].node, "mimic"), "joint", "joint %s follows itself",
                    tact_quote(urdf->joints[joint].name ? urdf->joints[joint].name : "").text);
}

void tact_urdf_check_tree(const tact_urdf *urdf) {
    // links and joints that are unknown or doubtful would only be reported again
    if (urdf->draft->errors->errors > urdf->before) return;
    int root = -1;
    for (int i = 0; i < urdf->nlink; i++) {
        const tact_urdf_link *link = &urdf->links[i];
        if (link->carrier >= 0) {
            if (strcmp(link->name, TACT_SCENE_WORLD) != 0) continue;
            tact_xml_refuse(&urdf->xml, link->node, "name", "\"world\" is the fixed body: it must be the root");
        } else if (root < 0) {
            root = i;
        } else {
            tact_xml_refuse(&urdf->xml, link->node, NULL, "a second root: no joint carries %s, nor %s (line %d)",
                            tact_quote(link->name).text, tact_quote(urdf->links[root].name).text,
                            urdf->xml.nodes[urdf->links[root].node].line);
        }
    }
    find_cycles(urdf, urdf->nlink, next_link, report_link);
    find_cycles(urdf, urdf->njoint, next_joint, report_joint);
}
