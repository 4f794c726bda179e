"""Recognising, searching and networks with what Python users have."""

import random

import numpy as np

from clock import measure, row


def recognise(motions=100, frames=60, points=30):
    """The last second against every motion by dynamic time warping in C: one live frame's work."""
    from dtaidistance import dtw_ndim

    draw = np.random.default_rng(5)
    bank = [np.cumsum(draw.normal(size=(frames, points * 3)), axis=0) for _ in range(motions)]
    last = np.cumsum(draw.normal(size=(frames, points * 3)), axis=0)

    def work():
        return min(dtw_ndim.distance_fast(last, one) for one in bank)

    return [row("perform.frame", motions, "dtaidistance", "dtw_ndim.distance_fast", measure(work))]


def network(sizes, joints=31):
    """All transition costs between ends and starts of clips: a plain distance matrix."""
    from scipy.spatial.distance import cdist

    out = []
    for clips in sizes:
        draw = np.random.default_rng(7)
        ends, starts = (draw.normal(size=(clips, joints * 6)).astype(np.float32) for _ in range(2))
        work = lambda: cdist(ends, starts, "sqeuclidean")
        out.append(row("network.brute", clips, "scipy", "cdist, one feature row a clip", measure(work, least=3)))
    return out


def generations(population=200, length=15, nodes=1000):
    """A genetic search that only sums a table: one generation."""
    from deap import base, creator, tools

    if not hasattr(creator, "Least"):
        creator.create("Least", base.Fitness, weights=(-1.0,))
        creator.create("Walk", list, fitness=creator.Least)
    random.seed(9)
    cost = np.random.default_rng(9).random((nodes, nodes)).tolist()
    box = base.Toolbox()
    box.register("node", random.randrange, nodes)
    box.register("individual", tools.initRepeat, creator.Walk, box.node, length)
    box.register("mate", tools.cxTwoPoint)
    box.register("mutate", tools.mutUniformInt, low=0, up=nodes - 1, indpb=0.05)
    box.register("select", tools.selTournament, tournsize=3)

    def fitness(walk):
        return (sum(cost[a][b] for a, b in zip(walk, walk[1:])),)

    people = [box.individual() for _ in range(population)]
    for one in people:
        one.fitness.values = fitness(one)

    def generation():
        nonlocal people
        children = [creator.Walk(one) for one in box.select(people, population)]
        for a, b in zip(children[::2], children[1::2]):
            box.mate(a, b)
        for one in children:
            if random.random() < 0.2:
                box.mutate(one)
            one.fitness.values = fitness(one)
        people = children

    return [row("compose.generation", population, "deap", "eaSimple's steps", measure(generation))]


def paths(sizes, wanted=10):
    """The ten cheapest paths between two nodes of a sparse network."""
    import networkx as nx

    out = []
    for nodes in sizes:
        random.seed(11)
        graph = nx.DiGraph()
        for a in range(nodes):
            for _ in range(8):
                graph.add_edge(a, random.randrange(nodes), weight=random.random())

        def work():
            found = nx.shortest_simple_paths(graph, 0, nodes - 1, weight="weight")
            return [path for path, _ in zip(found, range(wanted))]

        out.append(row("compose.paths", nodes, "networkx", "shortest_simple_paths", measure(work, least=2)))
    return out
