// SPDX-License-Identifier: MIT
// URDF with what becomes of it: the bodies and shapes of the robot file, on one line and with ' for ", and the warnings.
#ifndef TACT_TEST_URDF_CASES_H
#define TACT_TEST_URDF_CASES_H

typedef struct {
    const char *text, *bodies, *shapes, *warnings;
} urdf_case;

#define A_FIXED "{ 'name': 'a', 'parent': 'world', 'joint': { 'name': 'a_fixed', 'type': 'fixed' } }"

static const urdf_case urdf_cases[] = {
    // one link
    {"<robot><link name='a'/></robot>", A_FIXED, "", ""},
    // the world as root
    {"<robot name='r'><link name='world'/><link name='b'/>"
     "<joint name='j' type='fixed'><parent link='world'/><child link='b'/></joint></robot>",
     "{ 'name': 'b', 'parent': 'world', 'joint': { 'name': 'j', 'type': 'fixed' } }", "", ""},
    // the order of the joints, not of the links
    {"<robot name='r'><joint name='j2' type='fixed'><parent link='b'/><child link='c'/></joint>"
     "<link name='c'/><link name='b'/>"
     "<joint name='j1' type='continuous'><parent link='a'/><child link='b'/></joint><link name='a'/></robot>",
     A_FIXED ", "
             "{ 'name': 'c', 'parent': 'b', 'joint': { 'name': 'j2', 'type': 'fixed' } }, "
             "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j1', 'type': 'continuous', 'axis': [1, 0, 0] } }",
     "", ""},
    // revolute, an axis of another length
    {"<robot name='r'><link name='a'/><link name='b'/>"
     "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><origin xyz='1 2 3' rpy='.1 -0.5e0 +2'/><axis xyz='0 0 "
     "-20'/><limit lower='-1.' upper='02.50' effort='0' velocity='0'/></joint>"
     "</robot>",
     A_FIXED ", "
             "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j', 'type': 'revolute', 'xyz': [1, 2, 3], 'rpy': [0.1, -0.5, 2], "
             "'axis': [0, 0, -1], 'limits': [-1, 2.5] } }",
     "", ""},
    // continuous, limits passed over, the default axis
    {"<robot name='r'><link name='a'/><link name='b'/>"
     "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><limit effort='1' velocity='1' lower='5' "
     "upper='4'/></joint>"
     "</robot>",
     A_FIXED ", "
             "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j', 'type': 'continuous', 'axis': [1, 0, 0] } }",
     "", ""},
    // prismatic, a tiny axis
    {"<robot name='r'><link name='a'/><link name='b'/>"
     "<joint name='j' type='prismatic'><parent link='a'/><child link='b'/><axis xyz='0 1e-140 0'/><limit lower='0' "
     "upper='1e-3'/></joint>"
     "</robot>",
     A_FIXED
     ", "
     "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j', 'type': 'prismatic', 'axis': [0, 1, 0], 'limits': [0, 0.001] } }",
     "", ""},
    // floating
    {"<robot name='r'><link name='a'/><link name='b'/>"
     "<joint name='j' type='floating'><parent link='a'/><child link='b'/><origin xyz='0 0 1'/></joint>"
     "</robot>",
     A_FIXED ", "
             "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j', 'type': 'free', 'xyz': [0, 0, 1] } }",
     "", ""},
    // planar about z
    {"<robot name='r'><link name='a'/><link name='b'/>"
     "<joint name='j' type='planar'><parent link='a'/><child link='b'/><axis xyz='0 0 2'/><origin rpy='0 0 1'/></joint>"
     "</robot>",
     A_FIXED ", "
             "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j', 'type': 'planar', 'rpy': [0, 0, 1] } }",
     "", ""},
    // limits beyond all use
    {"<robot name='r'><link name='a'/><link name='b'/>"
     "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit lower='-1e16' upper='1e+16'/></joint>"
     "</robot>",
     A_FIXED ", "
             "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j', 'type': 'revolute', 'axis': [1, 0, 0] } }",
     "", ""},
    // a limit on one side
    {"<robot name='r'><link name='a'/><link name='b'/>"
     "<joint name='j' type='prismatic'><parent link='a'/><child link='b'/><limit lower='-1e300' upper='0.5'/></joint>"
     "</robot>",
     A_FIXED ", "
             "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j', 'type': 'prismatic', 'axis': [1, 0, 0], 'limits': "
             "[-2000000000, 0.5] } }",
     "", ""},
    // no room between the limits
    {"<robot name='r'><link name='a'/><link name='b'/>"
     "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit effort='1' velocity='1'/></joint>"
     "</robot>",
     A_FIXED ", "
             "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j', 'type': 'revolute', 'axis': [1, 0, 0], 'limits': [0, 0] } }",
     "", "1:116: /robot/joint[name=\"j\"]/limit: warning: lower and upper are both 0: the joint cannot move\n"},
    // one joint follows another, declared later
    {"<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
     "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit lower='0' upper='1'/><mimic joint='k' "
     "multiplier='-0.5' offset='.25'/></joint>"
     "<joint name='k' type='continuous'><parent link='a'/><child link='c'/></joint></robot>",
     A_FIXED ", "
             "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j', 'type': 'revolute', 'axis': [1, 0, 0], 'limits': [0, 1], "
             "'mimic': { 'joint': 'k', 'ratio': -0.5, 'offset': 0.25 } } }, "
             "{ 'name': 'c', 'parent': 'a', 'joint': { 'name': 'k', 'type': 'continuous', 'axis': [1, 0, 0] } }",
     "", ""},
    // mimic on a fixed joint
    {"<robot name='r'><link name='a'/><link name='b'/>"
     "<joint name='j' type='fixed'><parent link='a'/><child link='b'/><mimic joint='j'/></joint></robot>",
     A_FIXED ", "
             "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j', 'type': 'fixed' } }",
     "",
     "1:113: /robot/joint[name=\"j\"]/mimic: warning: only revolute, continuous and prismatic joints can follow another: not "
     "read\n"},
    // inertial
    {"<robot name='r'>"
     "<link name='a'><inertial><origin xyz='1e-3 0 -0.25'/><mass value='0.52'/><inertia ixx='3e-4' ixy='1e-6' ixz='2e-6' "
     "iyy='2e-4' iyz='-3e-6' izz='1e-4'/></inertial></link>"
     "</robot>",
     "{ 'name': 'a', 'parent': 'world', 'mass': 0.52, 'com': [0.001, 0, -0.25], 'inertia': [0.0003, 0.0002, 0.0001, 1e-6, 2e-6, "
     "-3e-6], 'inertia_as_given': true, 'joint': { 'name': 'a_fixed', 'type': 'fixed' } }",
     "",
     "1:90: /robot/link[name=\"a\"]/inertial/inertia: warning: link \"a\" has an inertia that no rigid body has, taken as it is: "
     "principal moments 0.000300029, 0.000200081, 9.98895e-5, the largest more than the sum of the others\n"},
    // massless
    {"<robot name='r'>"
     "<link name='a'><inertial><mass value='0.0'/><inertia ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial></link>"
     "</robot>",
     A_FIXED, "", ""},
    // an inertia that misses by rounding
    {"<robot name='r'>"
     "<link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
     "izz='-1e-12'/></inertial></link>"
     "</robot>",
     "{ 'name': 'a', 'parent': 'world', 'mass': 1, 'inertia': [1, 1, -1e-12, 0, 0, 0], 'joint': { 'name': "
     "'a_fixed', 'type': 'fixed' } }",
     "",
     "1:59: /robot/link[name=\"a\"]/inertial/inertia: warning: eigenvalues 1, 1, -1e-12: one is below 0 by "
     "rounding\n"},
    // all shapes
    {"<robot name='r'><link name='a'><collision><geometry><box size='0.2 .4 6e-1'/></geometry></collision>"
     "<collision><geometry><sphere radius='1'/></geometry></collision>"
     "<collision><geometry><cylinder length='2' radius='0.25'/></geometry></collision>"
     "<collision><geometry><capsule length='2' radius='0.25'/></geometry></collision>"
     "<collision><geometry><drake:capsule length='1' radius='0.5'/></geometry></collision>"
     "<collision><origin xyz='1 0 0' rpy='0 0 0.5'/><geometry><sphere radius='0.5'/></geometry></collision></link>"
     "</robot>",
     A_FIXED,
     "{ 'name': 'a', 'body': 'a', 'type': 'box', 'size': [0.2, 0.4, 0.6] }, "
     "{ 'name': 'a_2', 'body': 'a', 'type': 'sphere', 'radius': 1 }, "
     "{ 'name': 'a_3', 'body': 'a', 'type': 'cylinder', 'radius': 0.25, 'length': 2 }, "
     "{ 'name': 'a_4', 'body': 'a', 'type': 'capsule', 'radius': 0.25, 'length': 2 }, "
     "{ 'name': 'a_5', 'body': 'a', 'type': 'capsule', 'radius': 0.5, 'length': 1 }, "
     "{ 'name': 'a_6', 'body': 'a', 'type': 'sphere', 'radius': 0.5, 'xyz': [1, 0, 0], 'rpy': [0, 0, 0.5] }",
     ""},
    // names of collision elements, where they are unique
    {"<robot name='r'><link name='a'>"
     "<collision name='tip'><geometry><sphere radius='1'/></geometry></collision>"
     "<collision name='x'><geometry><sphere radius='2'/></geometry></collision>"
     "<collision name=''><geometry><sphere radius='3'/></geometry></collision></link><link name='b'>"
     "<collision name='x'><geometry><sphere radius='4'/></geometry></collision>"
     "<collision name='a_3'><geometry><sphere radius='5'/></geometry></collision></link>"
     "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
     A_FIXED ", "
             "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j', 'type': 'fixed' } }",
     "{ 'name': 'tip', 'body': 'a', 'type': 'sphere', 'radius': 1 }, "
     "{ 'name': 'a_2', 'body': 'a', 'type': 'sphere', 'radius': 2 }, "
     "{ 'name': 'a_3', 'body': 'a', 'type': 'sphere', 'radius': 3 }, "
     "{ 'name': 'b', 'body': 'b', 'type': 'sphere', 'radius': 4 }, "
     "{ 'name': 'b_2', 'body': 'b', 'type': 'sphere', 'radius': 5 }",
     ""},
    // made names that others have
    {"<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry></collision>"
     "<collision><geometry><sphere radius='2'/></geometry></collision></link><link name='a_2'>"
     "<collision><geometry><sphere radius='3'/></geometry></collision></link>"
     "<joint name='a_fixed' type='fixed'><parent link='a'/><child link='a_2'/></joint></robot>",
     "{ 'name': 'a', 'parent': 'world', 'joint': { 'name': 'a_fixed_2', 'type': 'fixed' } }, "
     "{ 'name': 'a_2', 'parent': 'a', 'joint': { 'name': 'a_fixed', 'type': 'fixed' } }",
     "{ 'name': 'a', 'body': 'a', 'type': 'sphere', 'radius': 1 }, "
     "{ 'name': 'a_2', 'body': 'a', 'type': 'sphere', 'radius': 2 }, "
     "{ 'name': 'a_2_3', 'body': 'a_2', 'type': 'sphere', 'radius': 3 }",
     ""},
    // shapes without extent
    {"<robot name='r'><link name='a'><collision><geometry><box size='0 0 0'/></geometry></collision>"
     "<collision><geometry><cylinder length='0' radius='1'/></geometry></collision>"
     "<collision><geometry><sphere radius='1'/></geometry></collision><collision/>"
     "<collision><geometry/></collision><collision><geometry><plane normal='0 0 1'/></geometry></collision>"
     "<collision><geometry><sphere radius='1'/><sphere radius='2'/></geometry></collision></link></robot>",
     A_FIXED,
     "{ 'name': 'a', 'body': 'a', 'type': 'sphere', 'radius': 1 }, "
     "{ 'name': 'a_2', 'body': 'a', 'type': 'sphere', 'radius': 1 }",
     "1:58: /robot/link[name=\"a\"]/collision[1]/geometry/box@size: warning: must be > 0: the shape is left out\n"
     "1:126: /robot/link[name=\"a\"]/collision[2]/geometry/cylinder@length: warning: must be > 0: the shape is left out\n"
     "1:236: /robot/link[name=\"a\"]/collision[4]: warning: has no geometry\n"
     "1:248: /robot/link[name=\"a\"]/collision[5]: warning: has no geometry\n"
     "1:303: /robot/link[name=\"a\"]/collision[6]/geometry/plane: warning: shape \"plane\" is not read (read are box, cylinder, "
     "sphere, capsule)\n"
     "1:360: /robot/link[name=\"a\"]/collision[7]/geometry: warning: holds several shapes: only the first is read\n"},
    // of half the size there is no number
    {"<robot name='r'><link name='a'><collision><geometry><box size='1 5e-324 1'/></geometry></collision></link></robot>",
     A_FIXED, "", "1:58: /robot/link[name=\"a\"]/collision/geometry/box@size: warning: must be > 0: the shape is left out\n"},
    // shapes of the world
    {"<robot name='r'><link name='world'>"
     "<collision><geometry><box size='1 1 1'/></geometry></collision><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
     "ixy='0' ixz='0' iyz='0'/></inertial></link>"
     "</robot>",
     "", "{ 'name': 'world', 'body': 'world', 'type': 'box', 'size': [1, 1, 1] }", ""},
    // meshes
    {"<robot name='r'><link name='a'>"
     "<collision><geometry><mesh filename='package://hand/meshes/a.stl'/></geometry></collision>"
     "<collision><geometry><mesh filename='../meshes/b.stl' scale='1 1 1'/></geometry></collision>"
     "<collision><geometry><mesh filename='./c/../d.stl'/></geometry></collision>"
     "<collision><geometry><mesh filename='file:///etc/passwd'/></geometry></collision>"
     "<collision><geometry><mesh filename='http://127.0.0.1/x.stl'/></geometry></collision>"
     "<collision><geometry><mesh filename='/etc/passwd'/></geometry></collision>"
     "<collision><geometry><mesh filename='../../x.stl'/></geometry></collision>"
     "<collision><geometry><mesh/></geometry></collision></link></robot>",
     A_FIXED, "",
     "1:316: /robot/link[name=\"a\"]/collision[4]/geometry/mesh@filename: warning: mesh \"file:///etc/passwd\" is not read: "
     "outside the package root\n"
     "1:397: /robot/link[name=\"a\"]/collision[5]/geometry/mesh@filename: warning: mesh \"http://127.0.0.1/x.stl\" is not read: "
     "outside the package root\n"
     "1:482: /robot/link[name=\"a\"]/collision[6]/geometry/mesh@filename: warning: mesh \"/etc/passwd\" is not read: outside the "
     "package root\n"
     "1:556: /robot/link[name=\"a\"]/collision[7]/geometry/mesh@filename: warning: mesh \"../../x.stl\" is not read: outside the "
     "package root\n"
     "1:53: /robot/link[name=\"a\"]/collision[1]/geometry/mesh: warning: mesh \"package://hand/meshes/a.stl\" is not read, nor "
     "are 3 more (--fit capsule makes shapes of them)\n"},
    {"<robot name='r'><link name='a'>"
     "<collision><geometry><mesh filename='a.stl'/></geometry></collision>"
     "<collision><geometry><mesh filename='b.GLB'/></geometry></collision>"
     "<collision><geometry><mesh filename='c.gltf'/></geometry></collision></link></robot>",
     A_FIXED, "",
     "1:53: /robot/link[name=\"a\"]/collision[1]/geometry/mesh: warning: mesh \"a.stl\" is not read, nor are 2 more "
     "(--fit capsule makes shapes of .stl, .obj, .ply and .dae: 2 in other formats must be converted first)\n"},
    // what is passed over silently
    {"<?xml version=\"0.0\"?><!-- x --><robot name='r' version='1.0' xmlns:xacro='http://www.ros.org/wiki/xacro'><material "
     "name='m'><color rgba='1 1 1 z'/></material>"
     "<link name='a'><visual><origin xyz='z'/><geometry><mesh "
     "filename='package://../x'/></geometry></visual><contact><lateral_friction value='1'/></contact><drake:x/>text &gt; "
     "text</link>"
     "<transmission name='t'><joint name='zz'/><type>x</type></transmission><gazebo reference='zz'>"
     "<joint/></gazebo><ros2_control/><sensor/><my:thing/></robot>",
     A_FIXED, "", ""},
    // what is drawn: of the first, what is written; then what the package does not hold, or what is no place or scale
    {"<robot name='r'><link name='a'>"
     "<visual><origin xyz='1 2 3' rpy='0 0 0.5'/><geometry><mesh filename='package://h/a.stl' scale='.001 1e-3 "
     "0.002'/></geometry></visual>"
     "<visual><geometry><sphere radius='1'/></geometry></visual><visual/><visual><geometry/></visual>"
     "<visual><geometry><mesh filename='../m/b.OBJ'/></geometry></visual>"
     "<visual><geometry><mesh filename='../../b.stl'/></geometry></visual><visual><geometry><mesh/></geometry></visual>"
     "<visual><geometry><mesh filename='http://h/b.stl'/></geometry></visual>"
     "<visual><geometry><mesh filename='c.stl' scale='1 1'/></geometry></visual>"
     "<visual><origin rpy='0 0 1e999'/><geometry><mesh filename='c.stl'/></geometry></visual></link></robot>",
     "{ 'name': 'a', 'parent': 'world', 'joint': { 'name': 'a_fixed', 'type': 'fixed' }, "
     "'meshes': [{ 'file': 'package://h/a.stl', 'xyz': [1, 2, 3], 'rpy': [0, 0, 0.5], 'scale': [0.001, 0.001, 0.002] }, "
     "{ 'file': '../m/b.OBJ' }] }",
     "", ""},
    // what is passed over in a joint
    {"<robot name='r'><link name='a'/><link name='b'/>"
     "<joint name='j' type='fixed'><parent link='a'/><child link='b'/><dynamics damping='z' friction='1'/><safety_controller "
     "soft_lower_limit='1'/><calibration rising='0'/>"
     "<joint_properties damping='0'/><axis xyz='z'/><limit lower='z'/></joint></robot>",
     A_FIXED ", "
             "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j', 'type': 'fixed' } }",
     "", ""},
    // what is warned of
    {"<robot name='r'><link name='a'><inertal/><Collision/></link><link name='b'/>"
     "<joint name='j' type='fixed'><axes/><origin xyz='1 0 0'/><origin xyz='2 0 0'/><parent link='a'/><child "
     "link='b'/></joint><jiont name='k'/><Link name='c'/>"
     "</robot>",
     A_FIXED ", "
             "{ 'name': 'b', 'parent': 'a', 'joint': { 'name': 'j', 'type': 'fixed', 'xyz': [1, 0, 0] } }",
     "",
     "1:32: /robot/link[name=\"a\"]/inertal: warning: unknown element \"inertal\" is not read (did you mean \"inertial\"?)\n"
     "1:42: /robot/link[name=\"a\"]/Collision: warning: unknown element \"Collision\" is not read (did you mean \"collision\"?)\n"
     "1:198: /robot/jiont[name=\"k\"]: warning: unknown element \"jiont\" is not read (did you mean \"joint\"?)\n"
     "1:215: /robot/Link[name=\"c\"]: warning: unknown element \"Link\" is not read (did you mean \"link\"?)\n"
     "1:106: /robot/joint[name=\"j\"]/axes: warning: unknown element \"axes\" is not read (did you mean \"axis\"?)\n"
     "1:134: /robot/joint[name=\"j\"]/origin[2]: warning: given twice: only the first is read\n"},
    // a commented joint
    {"<robot name='r'><link name='world'/><!-- "
     "<joint name='w' type='fixed'><parent link='world'/><child link='b'/></joint> --><link name='b'/>"
     "<joint name='j' type='fixed'><parent link='world'/><child link='b'/></joint></robot>",
     "{ 'name': 'b', 'parent': 'world', 'joint': { 'name': 'j', 'type': 'fixed' } }", "", ""},
    // strange names
    {"<robot name='%n%s'><link name='../../x'/><link name='a/b'/><link name='\xe2\x80\xae%n%s'/><link name='*'/>"
     "<joint name='&lt;img onerror>' type='fixed'><parent link='../../x'/><child link='a/b'/></joint>"
     "<joint name='~' type='fixed'><parent link='a/b'/><child link='\xe2\x80\xae%n%s'/></joint>"
     "<joint name='1' type='continuous'><parent link='a/b'/><child link='*'/></joint></robot>",
     "{ 'name': '../../x', 'parent': 'world', 'joint': { 'name': '../../x_fixed', 'type': 'fixed' } }, "
     "{ 'name': 'a/b', 'parent': '../../x', 'joint': { 'name': '<img onerror>', 'type': 'fixed' } }, "
     "{ 'name': '\\u202e%n%s', 'parent': 'a/b', 'joint': { 'name': '~', 'type': 'fixed' } }, "
     "{ 'name': '*', 'parent': 'a/b', 'joint': { 'name': '1', 'type': 'continuous', 'axis': [1, 0, 0] } }",
     "", ""},
    // CDATA and instructions
    {"<robot name='r'><?pi x?><link name='a'><![CDATA[ <link name='b'/> ]]></link></robot>", A_FIXED, "", ""},
};

#endif
