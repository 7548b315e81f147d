# SPDX-License-Identifier: MIT
"""Does a figure grow from round to round, or does it only swing?

One look says little: with the same boards there, serve holds a tenth more or less
by how boards and calls happen to lie beside each other. So each round is put
beside each later one, and the middle one of these differences a round is what the
figure grows by; what swings has as many down as up. The first rounds are left
out, in which memory finds its size, and what is learned once is learned.

It may grow by half a percent of its middle a round: one that grows by a whole one
is found even where single rounds lie 9 % beside it, and one that does not is not
blamed for that (tests/cli/house.bats). For that it takes 15 rounds behind the first.
"""
import itertools
import statistics

FIRST = 5  # are left out
FEWEST = FIRST + 15
BOUND = 0.5  # % a round


def growth(series):
    """% of its middle a round, without the first; None: they are too few."""
    if len(series) < FEWEST:
        return None
    series = series[FIRST:]
    steps = [(later - earlier) / (j - i) for (i, earlier), (j, later)
             in itertools.combinations(enumerate(series), 2)]
    return 100 * statistics.median(steps) / statistics.median(series)


def grows(series):
    """More than it may; too few rounds show nothing."""
    return (growth(series) or 0) > BOUND
