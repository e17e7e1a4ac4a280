"""What the package contains: learners, passes, places, block kinds, losses, and the values each parameter may take.

Everything is found by walking the package; nothing is listed by hand. Where a new class needs arguments that cannot be
derived, the error says where to add them.
"""

import importlib
import inspect
import pkgutil
from contextlib import suppress
from functools import cache
from itertools import product
from math import prod

import numpy as np
from sklearn.base import clone

import discriminant as dc
from discriminant import parameters
from discriminant.blocks.block import Block
from discriminant.errors import DegenerateError, ParameterError
from discriminant.learners.linear import Learner, LinearLearner
from discriminant.passes.a_pass import Pass
from discriminant.places.place import Place

OPTIONAL = {"matplotlib", "polars", "pandas", "pyarrow", "torch", "cupy", "dask", "distributed", "bokeh", "onnx",
            "onnxruntime", "flint"}


@cache
def modules():
    """Every module of the package that can be imported here: {name: module}."""
    found = {"discriminant": dc}
    for info in pkgutil.walk_packages(dc.__path__, "discriminant.", onerror=lambda name: None):
        try:
            found[info.name] = importlib.import_module(info.name)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.split(".")[0] not in OPTIONAL:
                raise
    return found


@cache
def concrete(base):
    """The classes of the package that derive from `base` and can be made, in the order of their names."""
    found = {thing for module in modules().values() for thing in vars(module).values()
             if inspect.isclass(thing) and issubclass(thing, base) and not inspect.isabstract(thing)
             and thing.__module__.startswith("discriminant") and thing is not base}
    return sorted(found, key=lambda cls: cls.__name__)


def learners():
    """The public linear learners that can be made without arguments."""
    public = [getattr(dc, name) for name in dc.__all__]
    return [thing for thing in public
            if inspect.isclass(thing) and issubclass(thing, LinearLearner) and not needs_arguments(thing)]


def unit_free():
    """Those that say the same whatever the units of the columns: all that solve for an optimum."""
    return [learner for learner in learners() if learner is not dc.Perceptron]


def needs_arguments(cls):
    return any(each.default is each.empty and each.kind is not each.VAR_KEYWORD
               for each in inspect.signature(cls).parameters.values())


def combiners(X, y):
    """Learners made of another, over each of the fast members here that they take for these rows; and networks."""
    out = [dc.ThresholdNetwork()]
    for cls in concrete(Learner):
        if not needs_arguments(cls):
            continue
        taken = []
        for member in (dc.LeastSquaresClassifier(), dc.FisherDiscriminant()):
            with suppress(ParameterError):
                taken.append(clone(cls(member).fit(X, y)))
        assert taken, f"add a member that {cls.__name__} takes to `combiners` in {__file__}"
        out += taken
    return out


def passes():
    return concrete(Pass)


def places():
    return concrete(Place)


def blocks():
    return concrete(Block)


def losses():
    """The loss classes, once there is a room for them."""
    room = modules().get("discriminant.losses")
    return concrete(room.Loss) if room is not None and hasattr(room, "Loss") else []


# What tables of ranges cannot say: arrays and dictionaries that depend on the classes. By the name of the parameter.
BY_CLASSES = {
    "priors": lambda classes: np.arange(1.0, len(classes) + 1) / np.arange(1.0, len(classes) + 1).sum(),
    "class_weight": lambda classes: {label: 1.0 + k / 2 for k, label in enumerate(classes)},
    "init": lambda classes: np.array(0.5),
}


def legal(name, way, classes):
    """A few values of the parameter `name` that `way` allows, for data with these classes."""
    if isinstance(way, parameters.OneOf):
        return list(way.choices)
    if isinstance(way, parameters.Integer):
        return [way.low]
    if isinstance(way, parameters.Real):
        return _reals(way)
    if isinstance(way, parameters.ListOf):
        return [legal(name, way.each, classes)]
    if isinstance(way, (parameters.ArrayLike, parameters.Mapped)):
        assert name in BY_CLASSES, f"add an example of the parameter {name!r} to BY_CLASSES in {__file__}"
        return [BY_CLASSES[name](list(classes))]
    raise AssertionError(f"say in `legal` of {__file__} which values {type(way).__name__} allows")


def _reals(way):
    low, high = way.low, way.high
    if low is not None and high is not None:
        values = [low, low + 0.3 * (high - low), high]
        return values[1 if way.open_low else 0 : 2 if way.open_high else 3]
    if low is not None:
        return [low + 0.5, low + 20.0] if way.open_low else [low, low + 0.5, low + 20.0]
    return [0.25] if high is None else [high - 0.5]


def depends_on_data(way):
    return isinstance(way, (parameters.ArrayLike, parameters.Mapped))


def choices(learner, classes, *, data_free=False):
    """{parameter: values to try, the default first}."""
    out = {}
    for name, ways in learner.parameters.items():
        default = learner().get_params()[name]
        values = [value for way in ways if not (data_free and depends_on_data(way))
                  for value in legal(name, way, classes)]
        out[name] = [default, *(value for value in values if not same_value(value, default))]
    return out


def same_value(one, other):
    return type(one) is type(other) and np.array_equal(one, other)


def seeded(learner, configuration):
    """The configuration with a seed, where the learner draws at random."""
    draws = "random_state" in inspect.signature(learner).parameters
    return {**configuration, "random_state": 0} if draws and configuration else configuration


def short(learner):
    """Parameters that bound a fit on rows which it would go over for long."""
    return {"max_epochs": 10} if "max_epochs" in learner.parameters else {}


def one_at_a_time(learner, classes, **options):
    """The default configuration, and those that change one parameter."""
    table = choices(learner, classes, **options)
    return [{}, *(seeded(learner, {name: value}) for name, values in table.items() for value in values[1:])]


def all_together(learner, classes, *, most=600, **options):
    """Every combination of the values to try, or where there are very many, some drawn from them."""
    table = choices(learner, classes, **options)
    if prod(map(len, table.values())) <= most:
        combinations = product(*table.values())
    else:
        rng = np.random.default_rng(0)
        combinations = ([values[rng.integers(len(values))] for values in table.values()] for _ in range(most))
    return [seeded(learner, {name: value for name, value in zip(table, values, strict=True)
                             if not same_value(value, table[name][0])}) for values in combinations]


def name_of(learner, configuration):
    """How a case is called in messages."""
    inside = ", ".join(f"{name}={_short(value)}" for name, value in configuration.items())
    return f"{learner.__name__}({inside})"


def _short(value):
    return str(value.tolist()) if isinstance(value, np.ndarray) else repr(value)


def accepted(learner, configurations, X, y):
    """The configurations that do not refuse these rows, for their own parameters or as degenerate."""
    out = []
    for configuration in configurations:
        refused = ""
        try:
            learner(**configuration).fit(X, y)
        except DegenerateError:
            continue
        except ParameterError as error:
            refused = str(error)
        if not refused:
            out.append(configuration)
            continue
        assert any(name in refused for name in configuration), (
            f"{name_of(learner, configuration)}: the error names none of the parameters: {refused}")
    return out
