/* All of Tippe's public interface. */
#ifndef TIPPE_TIPPE_H
#define TIPPE_TIPPE_H

#include "tippe/base.h"
#include "tippe/drawing.h"
#include "tippe/exchange.h"
#include "tippe/force.h"
#include "tippe/geometry.h"
#include "tippe/hdf5.h"
#include "tippe/inclusion.h"
#include "tippe/input_file.h"
#include "tippe/integrator.h"
#include "tippe/joint.h"
#include "tippe/linear.h"
#include "tippe/math.h"
#include "tippe/mesh_file.h"
#include "tippe/model.h"
#include "tippe/multibody.h"
#include "tippe/output.h"
#include "tippe/paraview.h"
#include "tippe/picture.h"
#include "tippe/plot.h"
#include "tippe/problem.h"
#include "tippe/scene.h"
#include "tippe/set.h"
#include "tippe/simulation.h"
#include "tippe/solver.h"
#include "tippe/study.h"
#include "tippe/topology.h"
#include "tippe/warning.h"

#endif
