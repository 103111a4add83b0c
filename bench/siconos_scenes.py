#!/usr/bin/env python3
"""Whole steps of three scenes, by Tippe and by Siconos, in turn within one run: processor time per step and its ratio.

    taskset -c 0 /usr/bin/python3 bench/siconos_scenes.py [--build DIR] [--repeats N] [--quick]

Both sides have the same model, scheme (Moreau-Jean, theta = 1/2), time step and number of steps, and write nothing. Formulas
reach Siconos as its own linear classes or as compiled plugins (siconos_plugins.c); the loop over steps is Siconos's own, in C++.
The end states must agree, or the exit code is 1. Needs python3-siconos (tools/packages/bench.txt) and Debian's own python3.
"""
import argparse
import contextlib
import json
import os
import subprocess
import sys
import time

import numpy as np
import siconos.kernel as sk

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Scene:
    """One scene: its folder below examples/, time step, steps, and how far the end states may be apart."""

    def __init__(self, name, time_step, steps, tolerance, build):
        self.name, self.time_step, self.steps, self.tolerance, self.build = name, time_step, steps, tolerance, build

    def path(self):
        return os.path.join(SOURCE, "examples", self.name, "scene.yaml")


def woodpecker(plugins):
    """Linear with constant rows: Siconos's own classes say it all."""
    r0, rM, hM, lM, lG, hS, lS = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201
    mM, mS, JM, JS, c, g, mu = 3e-4, 4.5e-3, 5e-9, 7e-7, 0.0056, 9.81, 0.3
    arm = np.array([1.0, lM, lG])
    mass = mS * np.outer(arm, arm) + np.diag([mM, JM, JS])
    stiffness = c * np.array([[0.0, 0.0, 0.0], [0.0, 1.0, -1.0], [0.0, -1.0, 1.0]])
    system = sk.LagrangianLinearTIDS([0.0, -0.1036, -0.2788], [-0.3411, 0.0, -7.4583], mass, stiffness, np.zeros((3, 3)))
    system.setFExtPtr(np.array([-(mM + mS) * g, -mS * g * lM, -mS * g * lG]))
    contacts = []
    for normal, offset, slip, restitution in (
        ([0.0, 0.0, -hS], lM + lG - lS - r0, [1.0, lM, lG - lS], 0.5),
        ([0.0, hM, 0.0], rM - r0, [1.0, rM, 0.0], 0.0),
        ([0.0, -hM, 0.0], rM - r0, [1.0, rM, 0.0], 0.0),
    ):
        relation = sk.LagrangianLinearTIR(np.array([normal, slip]), np.array([offset, 0.0]))
        contacts.append(sk.Interaction(sk.NewtonImpactFrictionNSL(restitution, 0.0, mu, 2), relation))
    return system, contacts, sk.FrictionContact(2)


def cam_follower(plugins):
    """Linear with a force of time, which is a plugin."""
    system = sk.LagrangianLinearTIDS([0.4], [0.4], np.array([[1.221]]), np.array([[1430.8]]), np.zeros((1, 1)))
    system.setComputeFExtFunction(plugins, "cam_force")
    relation = sk.LagrangianLinearTIR(np.array([[1.0]]), np.array([0.0]))
    return system, [sk.Interaction(sk.NewtonImpactNSL(0.8), relation)], sk.LCP()


def double_pendulum(plugins):
    """All by plugins: mass matrix, forces, gaps, and their derivatives."""
    system = sk.LagrangianDS(np.zeros(2), np.array([5.0, 5.0]), np.eye(2))
    system.setComputeMassFunction(plugins, "pendulum_mass")
    system.setComputeFGyrFunction(plugins, "pendulum_gyro")
    system.setComputeJacobianFGyrqFunction(plugins, "pendulum_gyro_d_q")
    system.setComputeJacobianFGyrqDotFunction(plugins, "pendulum_gyro_d_v")
    system.setComputeFIntFunction(plugins, "pendulum_weight")
    system.setComputeJacobianFIntqFunction(plugins, "pendulum_weight_d_q")
    system.setComputeJacobianFIntqDotFunction(plugins, "pendulum_weight_d_v")
    contacts = []
    for which in ("upper", "lower"):
        relation = sk.LagrangianScleronomousR(f"{plugins}:pendulum_{which}_gap", f"{plugins}:pendulum_{which}_row")
        contacts.append(sk.Interaction(sk.NewtonImpactNSL(1.0), relation))
    return system, contacts, sk.LCP()


# Linear scenes: the same equations on both sides, so the tolerances of the solvers decide. The pendulum: Siconos takes one
# Newton step by default and another prediction of the mass matrix, and an impact falls into another step: two impacts with
# jumps up to 10 rad/s, each shifted by a step of 1e-4 s, and a motion that carries this on to 1.6 s.
SCENES = [
    Scene("woodpecker", 1e-5, 20000, 1e-6, woodpecker),
    Scene("cam-follower-translated", 1e-4, 20000, 1e-6, cam_follower),
    Scene("double-pendulum-wall-minimal", 1e-4, 16000, 5e-3, double_pendulum),
]


@contextlib.contextmanager
def nothing_printed():
    """Siconos announces its runs on standard output."""
    sys.stdout.flush()
    kept = os.dup(1)
    with open(os.devnull, "wb") as sink:
        os.dup2(sink.fileno(), 1)
        try:
            yield
        finally:
            os.dup2(kept, 1)
            os.close(kept)


def run_siconos(scene, plugins, newton_tolerance=None):
    """Seconds of processor time, and the last state."""
    system, contacts, problem = scene.build(plugins)
    # Half a step more, so that rounding cannot lose the last step.
    model = sk.NonSmoothDynamicalSystem(0.0, scene.time_step * (scene.steps + 0.5))
    model.insertDynamicalSystem(system)
    for contact in contacts:
        model.link(contact, system)
    simulation = sk.TimeStepping(
        model, sk.TimeDiscretisation(0.0, scene.time_step), sk.MoreauJeanOSI(0.5), problem
    )
    if newton_tolerance is not None:
        simulation.setNewtonTolerance(newton_tolerance)
    with nothing_printed():
        begin = time.process_time()
        simulation.run()
        seconds = time.process_time() - begin
    end = scene.time_step * scene.steps
    if abs(simulation.startingTime() - end) > 0.01 * scene.time_step:
        sys.exit(f"{scene.name}: Siconos ended at {simulation.startingTime()} s instead of {end} s")
    return seconds, np.concatenate([np.array(system.q()), np.array(system.velocity())])


def run_tippe(scene, program, integrator):
    """Seconds of processor time of the steps alone, measured by the program itself, and the last state."""
    command = [program, "--json", "--integrator", integrator, "--dt", repr(scene.time_step), scene.path(), str(scene.steps)]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return result["seconds"], np.array(result["q"] + result["u"])


def difference(a, b):
    """Largest difference of two states, relative to the size of each number or 1."""
    return float(np.max(np.abs(a - b) / np.maximum(1.0, np.abs(b))))


def measure(scene, program, plugins, repeats):
    """All sides in turn, so that a loaded machine slows down all of them; the least of the repeats counts."""
    sides = [
        ("tippe moreau-jean", lambda: run_tippe(scene, program, "moreau-jean")),
        ("siconos", lambda: run_siconos(scene, plugins)),
        ("siconos, Newton to 1e-12", lambda: run_siconos(scene, plugins, 1e-12)),
        ("tippe moreau", lambda: run_tippe(scene, program, "moreau")),
    ]
    seconds, states = {}, {}
    for _ in range(repeats):
        for name, run in sides:
            taken, states[name] = run()
            seconds[name] = min(taken, seconds.get(name, taken))
    return seconds, states


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"), help="folder with bench-steps and the plugins")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="a tenth of the steps, two repeats")
    options = parser.parse_args()
    program = os.path.join(options.build, "bench-steps")
    plugins = os.path.join(options.build, "siconos_plugins")
    disagreeing = 0
    print("| scene | steps | side | us a step | Siconos / this | end state differs by |")
    print("| --- | --- | --- | --- | --- | --- |")
    for scene in SCENES:
        if options.quick:
            scene.steps //= 10
        seconds, states = measure(scene, program, plugins, 2 if options.quick else max(1, options.repeats))
        for name, taken in seconds.items():
            ratio = seconds["siconos"] / taken
            apart = difference(states[name], states["siconos"])
            print(
                f"| {scene.name} | {scene.steps} | {name} | {1e6 * taken / scene.steps:.2f} "
                f"| {ratio:.2f} | {apart:.1e} |"
            )
        apart = difference(states["tippe moreau-jean"], states["siconos"])
        if not apart <= scene.tolerance:
            print(f"{scene.name}: the end states differ by {apart:.2e}, more than {scene.tolerance:g}", file=sys.stderr)
            disagreeing += 1
    return 1 if disagreeing else 0


if __name__ == "__main__":
    sys.exit(main())
