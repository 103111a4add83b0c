#!/usr/bin/env python3
"""Has a problem of friction a solution? A sufficient answer, with a certificate.

    python3 bench/existence.py PROBLEM.hdf5        FCLIB, local form, spatial; needs numpy, scipy and h5py

If impulses P exist whose velocities u = G P open every contact faster than friction could hold it,
u_N > mu |u_T| at each, then the problem with this G and any b has a solution (Acary and Cadoux's criterion). Such P are
the minimiser of 1/2 P.G P - sum P_N over the cones |P_T| <= mu P_N, if that has a minimum: there u_N - mu |u_T| >= 1.
An interior-point method goes there until all contacts open; that is checked by one product with G. Exit code 0: certified."""
import sys
import h5py
import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import splu

STEPS, SHORTEN, SMALL, ENOUGH = 60, 0.99, 1e-9, 0.5


def determinant(x):
    length = np.linalg.norm(x[:, 1:], axis=1)
    return np.maximum((x[:, 0] - length) * (x[:, 0] + length), 1e-300)


def product(a, b):
    """Jordan product of the vectors in the rows."""
    return np.column_stack([(a * b).sum(1), a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:]])


def quotient(a, b):
    """x with product(a, x) = b."""
    d, inner = determinant(a), (a[:, 1:] * b[:, 1:]).sum(1)
    tangent = -a[:, 1:] * b[:, :1] + (d / a[:, 0])[:, None] * b[:, 1:] + (inner / a[:, 0])[:, None] * a[:, 1:]
    return np.column_stack([a[:, 0] * b[:, 0] - inner, tangent]) / d[:, None]


class Scaling:
    """W of Nesterov and Todd: W z = W^-1 r, one for each contact."""

    def __init__(self, r, z):
        flip = np.array([1.0, -1.0, -1.0])
        a, b = r / np.sqrt(determinant(r))[:, None], z / np.sqrt(determinant(z))[:, None]
        half = np.sqrt((1 + (a * b).sum(1)) / 2)
        self.point, self.size = (a + flip * b) / (2 * half)[:, None], (determinant(r) / determinant(z)) ** 0.25
        self.mirror = self.point * flip

    def times(self, x, inverse=False):
        v, size = (self.mirror, 1 / self.size) if inverse else (self.point, self.size)
        inner = (v[:, 1:] * x[:, 1:]).sum(1)
        tangent = x[:, 1:] + v[:, 1:] * (x[:, 0] + inner / (1 + v[:, 0]))[:, None]
        return np.column_stack([v[:, 0] * x[:, 0] + inner, tangent]) * size[:, None]

    def inverse_square(self):
        v = self.mirror
        blocks = 2 * v[:, :, None] * v[:, None, :] + np.diag([-1.0, 1.0, 1.0])
        return blocks / (self.size**2)[:, None, None]


def longest(x, d):
    """Largest a with x + a d in the cones."""
    a, c = d[:, 0] ** 2 - (d[:, 1:] ** 2).sum(1), determinant(x)
    b = x[:, 0] * d[:, 0] - (x[:, 1:] * d[:, 1:]).sum(1)
    with np.errstate(all="ignore"):
        root = np.sqrt(b * b - a * c)
        ends = np.concatenate([c / (-b + root), c / (-b - root), -x[:, 0] / d[:, 0]])
    ends = ends[np.isfinite(ends) & (ends > 0)]
    return ends.min() if len(ends) else np.inf


def smallest_opening(u):
    return (u[:, 0] - np.linalg.norm(u[:, 1:], axis=1)).min()


def open_contacts(H):
    """r with u = H r inside all cones u_0 >= |u_T|: on the way to the least 1/2 r.H r - sum r_0 over the cones
    r_0 >= |r_T|, where u_0 - |u_T| >= 1; Mehrotra's predictor and corrector."""
    n = H.shape[0] // 3
    r = np.tile([1.0, 0.0, 0.0], (n, 1))
    z = r.copy()
    for _ in range(STEPS):
        u, gap = (H @ r.ravel()).reshape(n, 3), (r * z).sum() / n
        rest = u - z - np.array([1.0, 0.0, 0.0])
        print(f"gap {gap:.1e}  residual {np.linalg.norm(rest):.1e}  smallest opening {smallest_opening(u):.2e}")
        if smallest_opening(u) > ENOUGH:
            break
        scaling = Scaling(r, z)
        blocks = scaling.inverse_square()
        matrix = (H + sparse.bsr_matrix((blocks, np.arange(n), np.arange(n + 1)), shape=H.shape)).tocsc()
        factors = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        middle = scaling.times(z)

        def step(target):
            d = quotient(middle, target)
            right = (scaling.times(d, inverse=True) - rest).ravel()
            dr = factors.solve(right)
            dr += factors.solve(right - matrix @ dr)
            return dr.reshape(n, 3), (H @ dr).reshape(n, 3) + rest

        def allowed(dr, dz):
            return min(1.0, SHORTEN * min(longest(r, dr), longest(z, dz)))

        dr, dz = step(-product(middle, middle))
        a = allowed(dr, dz)
        centre = min(1.0, max(SMALL, ((r + a * dr) * (z + a * dz)).sum() / n / gap)) ** 3
        target = -product(middle, middle) - product(scaling.times(dr, inverse=True), scaling.times(dz))
        target[:, 0] += centre * gap
        dr, dz = step(target)
        a = allowed(dr, dz)
        r, z = r + a * dr, z + a * dz
    return r


def main():
    file = h5py.File(sys.argv[1])["fclib_local"]
    rows = file["W/n"][0]
    G = sparse.csc_matrix((file["W/x"][:], file["W/i"][:], file["W/p"][:]), shape=(rows, rows))
    friction = file["vectors/mu"][:]
    scale = np.ones((len(friction), 3))
    scale[:, 0] = friction
    D = sparse.diags(1 / scale.ravel())
    H = (D @ G @ D).tocsc()
    size = H.diagonal().mean()
    P = open_contacts(H / size).ravel() / scale.ravel()
    u = (G @ P).reshape(-1, 3) / scale / size
    margin = smallest_opening(u)
    print(f"smallest u_N / mu - |u_T| = {margin:.3f}, largest impulse {P.max():.3e}")
    print("every contact opens: a solution exists, whatever b is" if margin > 0 else "no certificate was found")
    return 0 if margin > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
