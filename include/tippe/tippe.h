/* All of Tippe's public interface: the library tippe (tippe/core.h), and files, which are in tippe-io. */
#ifndef TIPPE_TIPPE_H
#define TIPPE_TIPPE_H

#include "tippe/core.h"
#include "tippe/exchange.h"
#include "tippe/hdf5.h"
#include "tippe/input_file.h"
#include "tippe/mesh_file.h"
#include "tippe/output.h"
#include "tippe/page.h"
#include "tippe/paraview.h"
#include "tippe/picture.h"
#include "tippe/plot.h"
#include "tippe/reproduce.h"
#include "tippe/scene.h"
#include "tippe/section.h"
#include "tippe/sweep.h"

#endif
