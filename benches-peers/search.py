"""Recognising, searching and networks with what Python users have."""

import random

import numpy as np

from clock import measure, row


def recognise(sizes, frames=60, points=30):
    """The frame nearest to the live one; and the last second against every motion by dynamic time warping in C."""
    from dtaidistance import dtw_ndim

    out = []
    for motions in sizes:
        draw = np.random.default_rng(5)
        bank = [np.cumsum(draw.normal(size=(frames, points * 3)), axis=0) for _ in range(motions)]
        last = np.cumsum(draw.normal(size=(frames, points * 3)), axis=0)
        samples = np.concatenate(bank).reshape(-1, points, 3).astype(np.float32)
        live = last[-1].reshape(points, 3).astype(np.float32)
        nearest = lambda: np.sqrt(np.square(samples - live).sum(axis=-1)).sum(axis=-1).argmin()
        out.append(row("perform.nearest", motions, "numpy", "sum of distances, argmin", measure(nearest)))
        if motions <= 100:
            warped = lambda: min(dtw_ndim.distance_fast(last, one) for one in bank)
            what = "dtw_ndim.distance_fast of the last second"
            out.append(row("perform.frame", motions, "dtaidistance", what, measure(warped, least=3), part=True))
    return out


def network(sizes, joints=31):
    """All transition costs between ends and starts of clips: a plain distance matrix."""
    from scipy.spatial.distance import cdist

    out = []
    for clips in sizes:
        draw = np.random.default_rng(7)
        ends, starts = (draw.normal(size=(clips, joints * 6)).astype(np.float32) for _ in range(2))
        work = lambda: cdist(ends, starts, "sqeuclidean")
        out.append(row("network.brute", clips, "scipy", "cdist, one feature row a clip", measure(work, least=3)))

        def product():
            # |a|² + |b|² − 2ab: one large matrix product, then the pairs below a threshold.
            costs = np.square(ends).sum(1)[:, None] + np.square(starts).sum(1) - 2.0 * (ends @ starts.T)
            return np.nonzero(costs < 100.0)

        out.append(row("network.brute", clips, "numpy", "matrix product in f32, threshold", measure(product, least=3)))
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


def edges(data, nodes):
    """Origins, targets and costs of the network that Ugoki searches."""
    table = np.loadtxt(data / f"network_{nodes}.txt")
    return table[:, 0].astype(np.int32), table[:, 1].astype(np.int32), table[:, 2]


def paths(data, sizes, wanted=10, start=10, end=20):
    """The ten cheapest paths between two nodes, whatever they last, and the strongly connected components."""
    import networkx as nx
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components, yen

    out = []
    for nodes in sizes:
        origins, targets, costs = edges(data, nodes)
        matrix = csr_matrix((costs, (origins, targets)), shape=(nodes, nodes))
        graph = nx.DiGraph()
        graph.add_weighted_edges_from(zip(origins.tolist(), targets.tolist(), costs.tolist()))

        def simple_paths():
            found = nx.shortest_simple_paths(graph, start, end, weight="weight")
            return [path for path, _ in zip(found, range(wanted))]

        cheapest = lambda: yen(matrix, start, end, wanted)
        strong = lambda: connected_components(matrix, directed=True, connection="strong")
        listed = lambda: list(nx.strongly_connected_components(graph))
        out.append(
            row("compose.paths", nodes, "networkx", "shortest_simple_paths", measure(simple_paths, least=2), part=True)
        )
        out.append(row("compose.paths", nodes, "scipy", "csgraph.yen", measure(cheapest, least=2), part=True))
        out.append(row("network.reach", nodes, "scipy", "csgraph.connected_components", measure(strong)))
        out.append(row("network.reach", nodes, "networkx", "strongly_connected_components", measure(listed)))
    return out
