/* The mechanics and the solvers: all that the library tippe holds. Files are in tippe-io; tippe/tippe.h has
 * both. */
#ifndef TIPPE_CORE_H
#define TIPPE_CORE_H

#include "tippe/analysis.h"
#include "tippe/base.h"
#include "tippe/calculus.h"
#include "tippe/drawing.h"
#include "tippe/euler_parameters.h"
#include "tippe/force.h"
#include "tippe/geometry.h"
#include "tippe/inclusion.h"
#include "tippe/integrator.h"
#include "tippe/jet.h"
#include "tippe/joint.h"
#include "tippe/linear.h"
#include "tippe/math.h"
#include "tippe/model.h"
#include "tippe/multibody.h"
#include "tippe/orbit.h"
#include "tippe/painleve.h"
#include "tippe/problem.h"
#include "tippe/rotation.h"
#include "tippe/set.h"
#include "tippe/simulation.h"
#include "tippe/solver.h"
#include "tippe/state.h"
#include "tippe/states.h"
#include "tippe/study.h"
#include "tippe/topology.h"
#include "tippe/warning.h"

#endif
