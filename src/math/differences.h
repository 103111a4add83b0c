/* A derivative by four points, of order 4: sum of weight f(x + offset h) over 12 h. The first two alone give
   the one by two points, of order 2. */
#ifndef TP_MATH_DIFFERENCES_H
#define TP_MATH_DIFFERENCES_H

enum { TP_DIFFERENCE_POINTS = 4 };
static const double tp_difference_offset[TP_DIFFERENCE_POINTS] = {1.0, -1.0, 2.0, -2.0},
                    tp_difference_weight[TP_DIFFERENCE_POINTS] = {8.0, -8.0, -1.0, 1.0};

#endif
