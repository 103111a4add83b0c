#!/usr/bin/env python3
"""Error against time of two circuits with nonsmooth elements, by Tippe and by Siconos, in turn within one run.

    taskset -c 0 /usr/bin/python3 bench/siconos_circuits.py [--build DIR] [--repeats N] [--quick]

The diode bridge (four ideal diodes, an LCP with a positive semidefinite D) and a relay that holds a sliding line, both under
the theta-gamma scheme with the same parameters, over a ladder of time steps. Errors are those at the end against closed
forms; times are processor time of the steps alone. Both sides must agree, or the exit code is 1. Needs python3-siconos
(tools/packages/bench.txt) and Debian's own python3.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import time

import numpy as np
import siconos.kernel as sk

from siconos_scenes import SOURCE, nothing_printed


def bridge_exact(t):
    """vC and iL: seen from the capacitor the bridge with its load is a resistor."""
    L, C, R = 1e-2, 1e-6, 1e3
    a = 1 / (2 * R * C)
    w = math.sqrt(1 / (L * C) - a * a)
    damped = 10 * math.exp(-a * t)
    return np.array([damped * (math.cos(w * t) - a / w * math.sin(w * t)), damped / (L * w) * math.sin(w * t)])


def bridge():
    L, C, R = 1e-2, 1e-6, 1e3
    system = sk.FirstOrderLinearDS([10.0, 0.0], np.array([[0.0, -1 / C], [1 / L, 0.0]]))
    relation = sk.FirstOrderLinearTIR(
        np.array([[0.0, 0.0], [0.0, 0.0], [-1.0, 0.0], [1.0, 0.0]]),
        np.array([[0.0, 0.0, -1 / C, 1 / C], [0.0, 0.0, 0.0, 0.0]]),
    )
    relation.setDPtr(
        np.array([[1 / R, 1 / R, -1.0, 0.0], [1 / R, 1 / R, 0.0, -1.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    )
    return system, sk.Interaction(sk.ComplementarityConditionNSL(4), relation), sk.LCP()


def relay_exact(t):
    """x'' = 3 s, s = -sign(2 x + x'): a parabola to the line 2 x + v = 0, which it reaches at t1, then x ~ e^(-2 t)."""
    t1 = (-3 + math.sqrt(9 + 24)) / 6  # 2 (1 - 3 t^2/2) - 3 t = 0
    x1 = 1 - 1.5 * t1 * t1
    x = x1 * math.exp(-2 * (t - t1))
    return np.array([x, -2 * x])


def relay():
    system = sk.FirstOrderLinearDS([1.0, 0.0], np.array([[0.0, 1.0], [0.0, 0.0]]))
    relation = sk.FirstOrderLinearTIR(np.array([[2.0, 1.0]]), np.array([[0.0], [3.0]]))
    # Siconos's relay has -lambda in sign(y) for B = -3, Tippe's relation the sign in the law: the same with B = 3 here
    return system, sk.Interaction(sk.RelayNSL(1, -1.0, 1.0), relation), sk.Relay()


RELAY_SCENE = """name: relay
states: [{name: x, initial: 1, rate: v}, {name: v, rate: 3*s}]
relations: [{name: s, y: 2*x + v, law: relay}]
simulate: {integrator: theta-gamma, dt: 1e-3, until: 2}
"""

# name, Siconos's model, exact end, end time, theta, gamma, steps
CASES = [
    ("diode bridge", bridge, bridge_exact, 5e-3, 1.0, [500, 1000, 4000, 16000]),
    ("diode bridge, theta = 1/2", bridge, bridge_exact, 5e-3, 0.5, [250, 500, 1000, 4000]),
    ("relay", relay, relay_exact, 2.0, 1.0, [500, 2000, 8000, 32000]),
]


def run_siconos(build, end, theta, steps):
    system, interaction, problem = build()
    step = end / steps
    model = sk.NonSmoothDynamicalSystem(0.0, end + 0.5 * step)
    model.insertDynamicalSystem(system)
    model.link(interaction, system)
    osi = sk.EulerMoreauOSI(theta) if theta == 1.0 else sk.EulerMoreauOSI(theta, 0.5)
    if theta != 1.0:
        osi.setUseGamma(True)
        osi.setUseGammaForRelation(True)
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0.0, step), osi, problem)
    with nothing_printed():
        begin = time.process_time()
        simulation.run()
        seconds = time.process_time() - begin
    if abs(simulation.startingTime() - end) > 0.01 * step:
        sys.exit(f"Siconos ended at {simulation.startingTime()} s instead of {end} s")
    return seconds, np.array(system.x())


def run_tippe(program, scene, end, theta, steps):
    command = [program, "--json", "--integrator", "theta-gamma", "--dt", repr(end / steps)]
    command += ["--set", f"simulate.gamma_theta={theta}", "--set", f"simulate.gamma={theta}"]
    command += ["--set", f"simulate.gamma_variant={'standard' if theta == 1.0 else 'full'}", scene, str(steps)]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return result["seconds"], np.array(result["x"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"), help="folder with bench-steps")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="the two longest steps, one repeat")
    options = parser.parse_args()
    program = os.path.join(options.build, "bench-steps")
    relay_file = os.path.join(options.build, "bench-relay.yaml")
    with open(relay_file, "w", encoding="utf-8") as out:
        out.write(RELAY_SCENE)
    disagreeing = 0
    print("| circuit | steps | error, Tippe | error, Siconos | us a step, Tippe | us a step, Siconos | Siconos / Tippe |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, build, exact, end, theta, ladder in CASES:
        scene = relay_file if name == "relay" else os.path.join(SOURCE, "examples", "diode-bridge", "scene.yaml")
        truth = exact(end)
        scale = 10.0 if name != "relay" else 1.0
        for steps in ladder[:2] if options.quick else ladder:
            seconds = {}
            for _ in range(1 if options.quick else max(1, options.repeats)):
                for side, run in (
                    ("tippe", lambda: run_tippe(program, scene, end, theta, steps)),
                    ("siconos", lambda: run_siconos(build, end, theta, steps)),
                ):
                    taken, state = run()
                    best = seconds.get(side, (taken, state))
                    seconds[side] = (min(taken, best[0]), state)
            errors = {side: abs(state[0] - truth[0]) / scale for side, (_, state) in seconds.items()}
            apart = np.max(np.abs(seconds["tippe"][1] - seconds["siconos"][1])) / scale
            print(
                f"| {name} | {steps} | {errors['tippe']:.2e} | {errors['siconos']:.2e} | {1e6 * seconds['tippe'][0] / steps:.2f}"
                f" | {1e6 * seconds['siconos'][0] / steps:.2f} | {seconds['siconos'][0] / seconds['tippe'][0]:.2f} |"
            )
            if not apart <= 1e-6:
                print(f"{name}, {steps} steps: the end states differ by {apart:.2e}", file=sys.stderr)
                disagreeing += 1
    return 1 if disagreeing else 0


if __name__ == "__main__":
    sys.exit(main())
