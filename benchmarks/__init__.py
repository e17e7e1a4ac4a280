"""The project beside its peers: times, quality, ratios to each peer and to what the machine could do at best.

`make bench` runs all works and writes docs/benchmarks.md. The way through the files: `__main__` finds the works
(works/, one file each), has `runner` time their contestants in turn, `limits` measure the machine in between, and
`report` print and write what came out.

To add a work: a file in works/ with a list `WORKS`, see `contest.Work`; it is found by itself. To add a peer: pin it in
peers.txt, and enter a `Contestant` for it wherever it does the same work.
"""
