"""Programs that are killed while they save a model, and what is left of the file.

    python tests/killed.py --number 200

A program saves two models in turn to one file, over and over, and is killed (SIGKILL) at a random moment. The
file must then be one of the two, whole. It prints how many were killed with a file under way.
"""

import argparse
import os
import random
import signal
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse

import plsa


def models(n_words):
    """Two models that say other things, of some size."""
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(0.3, (12, n_words)).astype(np.float32))
    return X, [plsa.PLSA(8, max_iter=1, tol=0, random_state=seed).fit(X) for seed in (0, 1)]


def main():
    """Kills, and looks at what is there."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--number", type=int, default=200, help="programs to kill")
    options.add_argument("--words", type=int, default=50_000, help="words of the models, 64 bytes each")
    given = options.parse_args()
    X, both = models(given.words)
    said = [model.transform(X).tobytes() for model in both]
    rng, found, under_way = random.Random(0), [0, 0], 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.plsa"
        begin = time.perf_counter()
        for model in both:
            plsa.save(model, path)
        once = (time.perf_counter() - begin) / 2
        for _ in range(given.number):
            child = os.fork()
            if not child:
                while True:
                    for model in both:
                        plsa.save(model, path)
            time.sleep(rng.random() * 6 * once)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            found[said.index(plsa.load(path).transform(X).tobytes())] += 1  # else it is neither
            left = [each for each in Path(folder).iterdir() if each != path]
            under_way += len(left)
            for each in left:
                each.unlink()
    print(f"{given.number} killed, {under_way} with a file under way: {found[0]} and {found[1]} whole files")


if __name__ == "__main__":
    main()
