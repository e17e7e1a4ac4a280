"""What every test may use: a count of cases, told in the summary at the end of the session."""

from collections import Counter

import pytest


def pytest_addoption(parser):
    parser.addoption("--thorough", action="store_true", help="try far more cases where one case takes long")


@pytest.fixture
def count_cases(request):
    """`count_cases(name, n)`: this test tried n cases of the class `name`."""

    def count(name, n=1):
        request.node.user_properties.append(("cases", (name, n)))

    return count


@pytest.fixture
def measured(request):
    """`measured(text)`: something worth reading in the summary, such as how long an interrupt took."""

    def tell(text):
        request.node.user_properties.append(("measured", text))

    return tell


def pytest_terminal_summary(terminalreporter):
    """Properties travel with the reports, so they arrive from the processes of a parallel run as well."""
    counted, told = Counter(), []
    for outcome in ("passed", "failed", "xfailed"):
        for report in terminalreporter.stats.get(outcome, []):
            if getattr(report, "when", None) != "call":
                continue
            for name, value in report.user_properties:
                if name == "cases":
                    counted[value[0]] += value[1]
                elif name == "measured":
                    told.append(value)
    if counted:
        terminalreporter.section("cases tried")
        for name, n in sorted(counted.items()):
            terminalreporter.write_line(f"{n:>8,}  {name}")
    for text in sorted(told):
        terminalreporter.write_line(f"          {text}")
