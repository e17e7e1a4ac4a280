"""The memory a fit takes above the data, each in a process of its own."""

from __future__ import annotations

import discriminant as dc
from benchmarks.contest import OURS, Contest, Contestant, Scale, Work, within_allowance
from benchmarks.fresh import fit_megabytes

SHAPES = {
    "200k x 100 float64": (200_000, 100, "float64"),
    "200k x 100 float32": (200_000, 100, "float32"),
    "2M x 10 float32": (2_000_000, 10, "float32"),
    "20k x 1000 float64": (20_000, 1000, "float64"),
}
PATH, SQUARES = "discriminant, 50 shrinkages", "discriminant, least squares"
_LDA = "sklearn.discriminant_analysis:LinearDiscriminantAnalysis"
LEARNERS = {
    OURS: ("discriminant:FisherDiscriminant", {}),
    PATH: ("discriminant:FisherDiscriminant", {"shrinkage": [i / 50 for i in range(50)]}),
    SQUARES: ("discriminant:LeastSquaresClassifier", {}),
    "LDA svd": (_LDA, {"solver": "svd"}),
    "LDA lsqr": (_LDA, {"solver": "lsqr"}),
}
if not hasattr(dc, "LeastSquaresClassifier"):
    del LEARNERS[SQUARES]


def _prepare(case: str, scale: Scale) -> Contest:
    n, d, dtype = SHAPES[case]
    n = scale.rows(n)
    return Contest(
        [Contestant(name, lambda c=learner, p=parameters: fit_megabytes(c, p, n, d, dtype), measures=True)
         for name, (learner, parameters) in LEARNERS.items()],
        rounds=1 if scale.quick else 2, waits=False, allowance=64 + (80 * d**2 + 16 * n) / 1e6,
    )


WORKS = [
    Work(
        "Peak memory of a fit above the data, K = 5", list(SHAPES), _prepare,
        [within_allowance(name, "≤ 64 MB + 80 d² + 16 n") for name in LEARNERS if name.startswith(OURS)],
        unit="MB", notes="The bound is in bytes.",
    ),
]
