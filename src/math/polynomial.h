/* Real roots of polynomials of small degree. */
#ifndef TP_MATH_POLYNOMIAL_H
#define TP_MATH_POLYNOMIAL_H

#include "tippe/base.h"

enum { TP_POLYNOMIAL_MAX_DEGREE = 8 };

/* All real roots of c[0] + c[1] x + ... + c[degree] x^degree in ascending order (multiple roots may appear
   once or several times), polished to working precision; leading coefficients that vanish relative to the
   others (below eps^2 in a variable scaled to make first and last equal) are trimmed. Returns how many;
   roots_out has room for degree numbers. Method: isolation by the roots of the derivatives, then safeguarded
   Newton: no root is missed that changes the sign, and touching (double) roots are found to about the square
   root of precision. */
int tp_polynomial_real_roots(int degree, const double *coefficient, double *roots_out);

double tp_polynomial_value(int degree, const double *coefficient, double x);

#endif
