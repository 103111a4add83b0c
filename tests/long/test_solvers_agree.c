/* All exact solvers on 1,000 random problems. */
#define AGREE_PROBLEMS 1000
#include "claims/test_solvers_agree.c"
