"""`discriminant trace`: data on stdout, talk on stderr, and errors that say what to do."""

import json
import subprocess
import sys

import pytest


def run(*arguments):
    done = subprocess.run([sys.executable, "-c", "from discriminant.cli.main import main; main()", *arguments],
                          capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_lecture_s_table_of_and():
    code, table, talk = run("trace", "--gate", "and", "--theta", "0.2")
    lines = [line.split() for line in table.splitlines() if not line.startswith("-")]
    assert code == 0 and lines[0] == ["epoch", "x1", "x2", "net", "output", "target", "changed", "w1", "w2", "b"]
    assert len(lines) == 41 and lines[-1] == ["10", "0", "0", "-4", "-1", "-1", "2", "3", "-4"]
    assert "converged after 10 epochs" in talk and "mistakes 22" in talk


def test_a_csv_file_and_json(tmp_path):
    path = tmp_path / "fish.csv"
    path.write_text("length,width,kind\n100,50,tuna\n60,20,bass\n90,20,tuna\n50,30,bass\n")
    code, out, _ = run("trace", str(path), "-t", "kind", "--json", "--max-epochs", "5000")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and {"length", "width", "net", "target", "w1", "b"} <= set(rows[0])
    assert [row["changed"] for row in rows[-4:]] == [False] * 4


@pytest.mark.parametrize("arguments, code, words", [
    (["trace"], 2, "Give a TABLE"),
    (["trace", "--gate", "maybe"], 2, "maybe"),
    (["trace", "--gate", "and", "--theta", "-1"], 1, "threshold must be"),
    (["trace", "no such file.csv", "-t", "y"], 2, "does not exist"),
    (["rabbit"], 2, "No such command"),
])
def test_wrong_calls(arguments, code, words):
    found, out, talk = run(*arguments)
    assert found == code and not out and words in talk and "Traceback" not in talk


def test_a_column_that_is_not_there(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,0\n2,1\n")
    code, out, talk = run("trace", str(path), "-t", "label")
    assert code == 1 and not out and "no column 'label'; its columns are a, b" in talk
    assert run("trace", str(path))[0] == 2
