"""The mathematics of the package in dense NumPy, a document at a time, written to be read.

Nothing here imports `plsa`, and everything is computed in float64. The counts X are a dense (D, W)
array; its type, float32 or float64, tells only which probabilities count as zero: see `possible`.

A model is a gate table (S, K) and, where labels have parameters, a `learn_gate` that makes the next
one of the expected topic counts of the states. Every model has the same `posterior`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

import numpy as np

# The largest n / p that the kernels still add up.
LARGEST_RATIO = {np.dtype(np.float32): 2.0**100, np.dtype(np.float64): 2.0**1000}


def posterior(topics, gate, word_topic):
    """P(z | w, d) of one document for every word, (W, K), and p(w, d), (W,).

    posterior[w, z] = theta[z] gate[z] phi[w, z] / p[w];  p[w] = sum_z theta[z] gate[z] phi[w, z].
    Where p is zero the posterior is zero.
    """
    joint = topics * gate * word_topic
    p = joint.sum(axis=1)
    return joint / np.where(p > 0, p, 1)[:, np.newaxis], p


def possible(n, p, dtype):
    """Whether a nonzero takes part: p is a normal number and n / p cannot overflow a sum."""
    normal = p >= np.finfo(dtype).tiny
    return normal & (n <= p * LARGEST_RATIO[np.dtype(dtype)])


def safe_log(x, dtype):
    """log x, what is below the smallest normal number of the type counting as it."""
    return np.log(np.maximum(x, float(np.finfo(dtype).tiny)))


def expect_document(n, gate, topics, word_topic, dtype):
    """Expected counts (W, K) of one document, its log-likelihood, how many nonzeros are impossible."""
    share, p = posterior(topics, gate, word_topic)
    taking_part = (n > 0) & possible(n, p, dtype)
    expected = np.where(taking_part, n, 0)[:, np.newaxis] * share
    log_likelihood = float(n @ safe_log(p, dtype))
    return expected, log_likelihood, int(np.sum((n > 0) & ~taking_part))


@dataclass(frozen=True)
class Expected:
    """What one expectation finds."""

    doc: np.ndarray  # (D, K) expected topic counts of each document
    word: np.ndarray  # (W, K) of each word, documents counting `weight` times
    state: np.ndarray  # (S, K) of each state, likewise
    log_likelihood: np.ndarray  # (D,)
    log_prior: np.ndarray  # (D,)
    impossible: np.ndarray  # (D,)


def expect(X, weight, state, gate, prior, doc_topic, word_topic):
    """One expectation; `weight`, `state` and `prior` may be None: ones, zeros, nothing."""
    n_documents, n_words = X.shape
    n_topics = word_topic.shape[1]
    dtype = X.dtype
    X, gate, doc_topic, word_topic = map(np.float64, (X, gate, doc_topic, word_topic))
    weight = np.ones(n_documents) if weight is None else np.float64(weight)
    state = np.zeros(n_documents, dtype=int) if state is None else state
    prior = np.zeros_like(gate) if prior is None else np.float64(prior)

    doc = np.zeros((n_documents, n_topics))
    word = np.zeros((n_words, n_topics))
    of_state = np.zeros_like(gate)
    log_likelihood = np.zeros(n_documents)
    log_prior = np.zeros(n_documents)
    impossible = np.zeros(n_documents, dtype=int)
    for d, s in enumerate(state):
        expected, log_likelihood[d], impossible[d] = expect_document(
            X[d], gate[s], doc_topic[d], word_topic, dtype
        )
        doc[d] = expected.sum(axis=0)
        word += weight[d] * expected
        of_state[s] += weight[d] * doc[d]
        log_prior[d] = prior[s] @ safe_log(doc_topic[d], dtype)
    return Expected(doc, word, of_state, log_likelihood, log_prior, impossible)


def normalize_rows(counts, prior, fallback, state):
    """Rows (counts + prior of the state) / their sum; the state's fallback where that is zero."""
    state = np.zeros(len(counts), dtype=int) if state is None else state
    counts = np.float64(counts) + (0 if prior is None else np.float64(prior)[state])
    total = counts.sum(axis=1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1), np.float64(fallback)[state])


def normalize_columns(counts, old, smoothing):
    """Columns (counts + smoothing) / their sum; the old column where that sum is zero."""
    counts = np.float64(counts) + smoothing
    total = counts.sum(axis=0)
    return np.where(total > 0, counts / np.where(total > 0, total, 1), np.float64(old))


@dataclass(frozen=True)
class Folded:
    """What folding in finds of each document."""

    doc_topic: np.ndarray
    log_likelihood: np.ndarray
    rounds: np.ndarray
    impossible: np.ndarray


def fold(X, state, gate, prior, word_topic, start, max_rounds, tolerance):
    """P(z|d) of each document by itself, P(w|z) fixed, until no topic moves more than `tolerance`.

    A document with neither a possible word nor a prior keeps its start.
    """
    dtype = X.dtype
    state = np.zeros(len(X), dtype=int) if state is None else state
    prior = np.zeros_like(gate) if prior is None else prior
    X, gate, prior, word_topic, start = map(np.float64, (X, gate, prior, word_topic, start))
    topics = start.copy()
    log_likelihood = np.zeros(len(X))
    rounds = np.zeros(len(X), dtype=int)
    impossible = np.zeros(len(X), dtype=int)
    for d, s in enumerate(state):
        while rounds[d] < max_rounds:
            expected, _, _ = expect_document(X[d], gate[s], topics[d], word_topic, dtype)
            counts = expected.sum(axis=0) + prior[s]
            if counts.sum() == 0:
                break
            before = topics[d].copy()
            topics[d] = counts / counts.sum()
            rounds[d] += 1
            if np.abs(topics[d] - before).max() <= tolerance:
                break
        _, log_likelihood[d], impossible[d] = expect_document(X[d], gate[s], topics[d], word_topic, dtype)
    return Folded(topics, log_likelihood, rounds, impossible)


def objective(expected, weight, smoothing, word_topic, dtype):
    """What EM must not lower: the log-likelihood and the log terms of both priors."""
    weight = np.ones(len(expected.doc)) if weight is None else np.float64(weight)
    return (
        weight @ (expected.log_likelihood + expected.log_prior)
        + smoothing * safe_log(np.float64(word_topic), dtype).sum()
    )


@dataclass(frozen=True)
class Fitted:
    """The parameters after some passes; the objective before each of them and after the last."""

    doc_topic: np.ndarray
    word_topic: np.ndarray
    gate: np.ndarray
    trace: list[float]


def fit(
    X,
    weight,
    state,
    gate,
    prior,
    doc_topic,
    word_topic,
    *,
    fallback,
    smoothing: float,
    n_passes: int,
    learn_gate: Callable | None = None,
):
    """EM: `n_passes` times expect and maximize."""
    trace = []
    for number in range(n_passes + 1):
        expected = expect(X, weight, state, gate, prior, doc_topic, word_topic)
        trace.append(objective(expected, weight, smoothing, word_topic, X.dtype))
        if number < n_passes:
            doc_topic = normalize_rows(expected.doc, prior, fallback, state)
            word_topic = normalize_columns(expected.word, word_topic, smoothing)
            gate = gate if learn_gate is None else learn_gate(expected.state, gate)
    return Fitted(doc_topic, word_topic, gate, trace)


def leap(first, second, third, weight, length, least):
    """Where a leap of SQUAREM ends, not below `least` times third; and |r|^2, |v|^2, rows weighted."""
    weight = np.ones(len(first)) if weight is None else np.float64(weight)
    first, second, third = map(np.float64, (first, second, third))
    r = second - first
    v = (third - second) - r
    end = first + 2 * length * r + length**2 * v
    return np.maximum(end, least * third), ((weight @ r**2).sum(), (weight @ v**2).sum())


def learn_fake_label_gate(state_counts, gate):
    """P(label | z) = N[label, z] / sum over labels, a topic without counts keeping what it had."""
    total = state_counts.sum(axis=0)
    return np.where(total > 0, state_counts / np.where(total > 0, total, 1), gate)


# --- the labeled models -------------------------------------------------------------------------
#
# C classes; topic_class[z] is the class of topic z, -1 where it has none. Labeled documents are in the
# states 0 .. C - 1, those without a label in the states that follow.


def may_use(c, z, topic_class):
    """Whether a document labeled c may use topic z: its class's topics and those of no class."""
    return topic_class[z] in (c, -1)


def missing_label_gate(topic_class, n_classes):
    """(C + 1, K): labeled c: 1 if z in c else 0; the unlabeled row is all 1."""
    gate = np.ones((n_classes + 1, len(topic_class)))
    for c in range(n_classes):
        for z in range(len(topic_class)):
            gate[c, z] = 1 if may_use(c, z, topic_class) else 0
    return gate


def first_fake_label_gate(topic_class, n_classes):
    """(C + 1, K): P(label | z) with one half for the fake label, the rest shared by the classes of z."""
    gate = np.zeros((n_classes + 1, len(topic_class)))
    for z in range(len(topic_class)):
        its_classes = [c for c in range(n_classes) if may_use(c, z, topic_class)]
        gate[n_classes, z] = 0.5
        for c in its_classes:
            gate[c, z] = 0.5 / len(its_classes)
    return gate


def first_learned_label_gate(topic_class, n_classes):
    """(C + 1, K): P(y | z) shared by the classes of z alike; the unlabeled row is all 1."""
    gate = np.ones((n_classes + 1, len(topic_class)))
    for z in range(len(topic_class)):
        n_allowed = sum(may_use(c, z, topic_class) for c in range(n_classes))
        for c in range(n_classes):
            gate[c, z] = may_use(c, z, topic_class) / n_allowed
    return gate


def learn_learned_label_gate(state_counts, gate):
    """P(y | z) = N[y, z] / sum over classes, a topic without labeled counts keeping what it had."""
    gate = gate.copy()
    for z in range(gate.shape[1]):
        total = state_counts[:-1, z].sum()
        if total > 0:
            gate[:-1, z] = state_counts[:-1, z] / total
    return gate


def first_mislabeling(topic_class, n_classes, soft, doubt=False):
    """beta (C, C) and Q (C, K) before anything is learned: nine tenths where they say "as it seems".

    With doubt beta has a last row, "not sure".
    """
    n_guesses = n_classes + 1 if doubt else n_classes
    nearly = 0.9 if n_guesses > 1 else 1.0
    near = 0.9 if n_classes > 1 else 1.0
    beta = np.zeros((n_guesses, n_classes))
    class_topic = np.zeros((n_classes, len(topic_class)))
    for y in range(n_classes):
        for g in range(n_guesses):
            beta[g, y] = nearly * (g == y) + (1 - nearly) / n_guesses
        for z in range(len(topic_class)):
            n_allowed = sum(may_use(c, z, topic_class) for c in range(n_classes))
            class_topic[y, z] = may_use(y, z, topic_class) / n_allowed
            if soft:
                class_topic[y, z] = near * class_topic[y, z] + (1 - near) / n_classes
    return beta, class_topic


def mislabeling_gate(topic_class, n_classes, beta, class_topic):
    """(C + guesses, K): labeled c: 1 if z in c else 0; guess g: D[g, z] = sum_y beta[g, y] Q[y, z]."""
    gate = np.zeros((n_classes + len(beta), len(topic_class)))
    for z in range(len(topic_class)):
        for c in range(n_classes):
            gate[c, z] = 1 if may_use(c, z, topic_class) else 0
        for g in range(len(beta)):
            for y in range(n_classes):
                gate[n_classes + g, z] += beta[g, y] * class_topic[y, z]
    return gate


def learn_mislabeling(state_counts, beta, class_topic, soft):
    """The next beta and Q: each word of guess g and topic z has the true class y with probability

    r(y | g, z) = beta[g, y] Q[y, z] / D[g, z], so beta[g, y] ~ sum_z N[g, z] r(y | g, z), columns summing to
    one, and Q[y, z] ~ sum_g N[g, z] r(y | g, z), likewise. A column without counts keeps what it had, and
    Q is learned in the soft form only.
    """
    n_classes, n_topics = class_topic.shape
    beta_count, class_count = np.zeros_like(beta), np.zeros_like(class_topic)
    for g in range(len(beta)):
        for z in range(n_topics):
            joint = [beta[g, y] * class_topic[y, z] for y in range(n_classes)]
            if sum(joint) == 0:
                continue
            for y in range(n_classes):
                expected = state_counts[n_classes + g, z] * (joint[y] / sum(joint))
                beta_count[g, y] += expected
                class_count[y, z] += expected
    next_beta, next_class_topic = beta.copy(), class_topic.copy()
    for y in range(n_classes):
        if beta_count[:, y].sum() > 0:
            next_beta[:, y] = beta_count[:, y] / beta_count[:, y].sum()
    for z in range(n_topics if soft else 0):
        if class_count[:, z].sum() > 0:
            next_class_topic[:, z] = class_count[:, z] / class_count[:, z].sum()
    return next_beta, next_class_topic


class GateModel:
    """One of "missing", "learned", "fake", "hard", "soft", or one of the last two with " doubt".

    Its states, its table and what it learns. A guess may be C, "not sure", where there is doubt.
    """

    def __init__(self, kind, topic_class, n_classes):
        self.kind, self.topic_class, self.n_classes = kind, topic_class, n_classes
        self.guessed, self.soft = kind.startswith(("hard", "soft")), kind.startswith("soft")
        self.beta, self.class_topic = first_mislabeling(
            topic_class, n_classes, self.soft, kind.endswith("doubt")
        )
        first = first_learned_label_gate if kind == "learned" else first_fake_label_gate
        self.learned = first(topic_class, n_classes)

    def states(self, code, guess):
        """The label; without one C, or C + the guess."""
        return np.array(
            [
                c if c >= 0 else self.n_classes + (g if self.guessed else 0)
                for c, g in zip(code, guess, strict=True)
            ]
        )

    def table(self):
        """The gate as it is now."""
        if self.kind == "missing":
            return missing_label_gate(self.topic_class, self.n_classes)
        if not self.guessed:
            return self.learned
        return mislabeling_gate(self.topic_class, self.n_classes, self.beta, self.class_topic)

    def open(self):
        """1 where a state may use a topic at all: labeled ones their class's, others all."""
        gate = np.ones_like(self.table())
        gate[: self.n_classes] = missing_label_gate(self.topic_class, self.n_classes)[: self.n_classes]
        return gate

    def learn(self, state_counts, gate=None):
        """Takes the counts of a pass in; the next gate."""
        if self.kind == "fake":
            self.learned = learn_fake_label_gate(state_counts, self.learned)
        elif self.kind == "learned":
            self.learned = learn_learned_label_gate(state_counts, self.learned)
        elif self.guessed:
            self.beta, self.class_topic = learn_mislabeling(
                state_counts, self.beta, self.class_topic, self.soft
            )
        return self.table()


def class_frequencies(code, weight, n_classes):
    """How frequent the classes are among the labeled documents, each counted once more."""
    count = np.ones(n_classes)
    for d, c in enumerate(code):
        if c >= 0:
            count[c] += 1 if weight is None else weight[d]
    return count / count.sum()


def topic_prior(topic_class, class_prior):
    """P(z): 1 / K for a topic of no class; the classes share the rest as they are frequent."""
    n_topics = len(topic_class)
    left = np.mean(topic_class >= 0)
    return np.array(
        [1 / n_topics if c < 0 else left * class_prior[c] / np.sum(topic_class == c) for c in topic_class]
    )


def first_words(X, weight, code, topic_class):
    """(W, K) without noise: half the words of the topic's class, half the corpus's."""
    weight = np.ones(len(X)) if weight is None else np.float64(weight)
    corpus = weight @ np.float64(X)
    corpus /= corpus.sum()
    words = np.zeros((X.shape[1], len(topic_class)))
    for z, c in enumerate(topic_class):
        its_words = (weight * (code == c)) @ np.float64(X) if c >= 0 else np.zeros(X.shape[1])
        if its_words.sum() > 0:
            its_words /= its_words.sum()
        words[:, z] = corpus + its_words
    return words / words.sum(axis=0)


def topics_start(open_gate, prior):
    """(S, K): P(z|d) of a document before anything is known of it: the prior where its state is open."""
    rows = open_gate * prior
    return rows / rows.sum(axis=1, keepdims=True)


def climb(
    model,
    X,
    weight,
    code,
    guess,
    words,
    class_prior,
    *,
    strength: float,
    unlabeled_weight: float,
    smoothing: float,
    n_passes: int,
):
    """EM under a `GateModel`, from given P(w|z), documents without a label counting `unlabeled_weight`."""
    start = topics_start(model.open(), topic_prior(model.topic_class, class_prior))
    state = model.states(code, guess)
    each = (np.ones(len(X)) if weight is None else np.float64(weight)) * np.where(
        code < 0, unlabeled_weight, 1
    )
    return fit(
        X,
        each,
        state,
        model.table(),
        strength * start,
        start[state],
        words,
        fallback=start,
        smoothing=smoothing,
        n_passes=n_passes,
        learn_gate=model.learn,
    )


def by_class(doc_topic, class_topic):
    """P(y|d) ~ sum_z P(z|d) class_topic[y, z]."""
    score = doc_topic @ class_topic.T
    return score / score.sum(axis=1, keepdims=True)


# --- the student ---------------------------------------------------------------------------------


def student_features(X, idf):
    """log(1 + n) times idf, every document at unit length; an empty one stays empty."""
    scaled = np.log1p(np.float64(X)) * idf
    length = np.sqrt((scaled**2).sum(axis=1, keepdims=True))
    return scaled / np.where(length > 0, length, 1)


def inverse_document_frequency(X, weight):
    """log((1 + D) / (1 + D_w)) + 1, a document counting `weight` times."""
    weight = np.ones(len(X)) if weight is None else np.float64(weight)
    return np.log((1 + weight.sum()) / (1 + weight @ (X > 0))) + 1


def damped_weights(code, weight, n_classes):
    """A document's weight divided by the cube root of its class's share of all weight, times C."""
    share = np.array([weight[code == c].sum() for c in range(n_classes)]) * n_classes / weight.sum()
    return np.array([w / np.cbrt(share[c]) if share[c] > 0 else w for w, c in zip(weight, code, strict=True)])


def ridge(features, code, each, n_classes):
    """B of (F' W F + I) B = F' W T; T is 1 for the class of a document and -1 for the others."""
    target = np.where(np.asarray(code)[:, np.newaxis] == np.arange(n_classes), 1.0, -1.0)
    weighted = features.T * each
    return np.linalg.solve(weighted @ features + np.eye(features.shape[1]), weighted @ target)


# --- semi-supervised learning, one topic a class -------------------------------------------------


def guess_by_folding_in(X, words, prior, strength, start, max_rounds, tolerance):
    """P(class|document) of each document by itself, from where it was, its gate off; topic c is class c's."""
    gate = np.ones((1, len(prior)))
    folded = fold(X, None, gate, strength * prior[np.newaxis], words, start, max_rounds, tolerance)
    return folded.doc_topic


@dataclass(frozen=True)
class Semi:
    """The end of semi-supervised learning: the last stretch, and the objective in each of them."""

    fitted: Fitted
    model: GateModel
    prior: np.ndarray  # (K,) of topics
    traces: list[list[float]]


def learn_partly_labeled(
    kind,
    X,
    weight,
    code,
    n_classes,
    stretches,
    *,
    strength: float,
    unlabeled_weight: float,
    smoothing: float,
    near: float = 1e-2,
):
    """From the labels' start through `stretches` of so many passes each.

    The first is of missing labels, or of the fake label; before each other one the documents without a label
    are folded in for at most 10 rounds, and their most probable classes are the guesses under which the
    mislabeling model goes on from the words found so far, its own parameters new.
    """
    topic_class = np.arange(n_classes)
    class_prior = class_frequencies(code, weight, n_classes)
    prior = topic_prior(topic_class, class_prior)
    each = (np.ones(len(X)) if weight is None else weight) * np.where(code < 0, unlabeled_weight, 1)
    words = first_words(X, each, code, topic_class)
    model = GateModel("fake" if kind == "fake" else "missing", topic_class, n_classes)
    guess = np.zeros(len(X), dtype=int)
    traces, topics = [], None
    for number, n_passes in enumerate(stretches):
        if number > 0:
            guess = guess_by_folding_in(X, words, prior, strength, topics, 10, near).argmax(axis=1)
            model = GateModel(kind, topic_class, n_classes)
        fitted = climb(
            model,
            X,
            weight,
            code,
            guess,
            words,
            class_prior,
            strength=strength,
            unlabeled_weight=unlabeled_weight,
            smoothing=smoothing,
            n_passes=n_passes,
        )
        words, topics = fitted.word_topic, fitted.doc_topic
        traces.append(fitted.trace)
    return Semi(fitted, model, prior, traces)


# --- mixtures of multinomials --------------------------------------------------------------------
#
# A document has one component z, from which all its words are. topic_class[z] is the class of component z,
# code[d] that of document d, -1 where it has none. Equations are those of Nigam, McCallum and Mitchell.


@dataclass(frozen=True)
class Mixture:
    """P(w|z), P(class) and P(z|its class)."""

    words: np.ndarray  # (W, K)
    classes: np.ndarray  # (C,)
    components: np.ndarray  # (K,)


@dataclass(frozen=True)
class Pseudo:
    """Pseudo-counts of every word in every component, of every class, of every component in its class."""

    words: np.ndarray  # (W,)
    classes: float
    components: float


def share_out(counts, groups, n_groups):
    """Each count divided by the sum of its group; evenly where that sum is zero."""
    sums = np.bincount(groups, counts, n_groups)[groups]
    sizes = np.bincount(groups, minlength=n_groups)[groups]
    return np.where(sums > 0, counts / np.where(sums > 0, sums, 1), 1 / sizes)


def mixture_joint(X, code, topic_class, mixture):
    """log P(d, z) = log P(class) + log P(z|class) + sum_w n(d, w) log P(w|z); -inf under another label."""
    with np.errstate(divide="ignore"):
        log_prior = np.log(mixture.classes[topic_class] * mixture.components)
    joint = log_prior + np.float64(X) @ safe_log(np.float64(mixture.words), X.dtype)
    of_another_class = (code[:, np.newaxis] >= 0) & (code[:, np.newaxis] != topic_class)
    return np.where(of_another_class, -np.inf, joint)


def mixture_posterior(joint, power, code, topic_class):
    """P(z|d) ~ P(d, z)^power (eq. 3.15; 3.12 at power 1), and (1 / power) log sum_z P(d, z)^power.

    A document that is impossible has the components that its label allows evenly.
    """
    peak = joint.max(axis=1, keepdims=True)
    impossible = np.isneginf(peak)
    share = np.exp(power * (joint - np.where(impossible, 0, peak)))
    total = share.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        log_total = (peak + np.log(np.where(impossible, 1, total)) / power)[:, 0]
    allowed = (code[:, np.newaxis] < 0) | (code[:, np.newaxis] == topic_class)
    evenly = allowed / allowed.sum(axis=1, keepdims=True)
    return np.where(impossible, evenly, share / np.where(impossible, 1, total)), log_total


def mixture_maximize(X, weight, share, topic_class, n_classes, pseudo, old_words):
    """Eq. 3.9, 3.10 and 3.11: counts and pseudo-counts, normalized; old words where there are neither."""
    weighted = weight[:, np.newaxis] * share
    words = np.float64(X).T @ weighted + pseudo.words[:, np.newaxis]
    documents = weighted.sum(axis=0)
    of_class = np.bincount(topic_class, documents, n_classes) + pseudo.classes
    return Mixture(
        normalize_columns(words, old_words, 0),
        of_class / of_class.sum(),
        share_out(documents + pseudo.components, topic_class, n_classes),
    )


def mixture_objective(log_total, weight, mixture, pseudo, dtype):
    """Eq. 3.8, or the free energy of a power: what its steps never lower."""
    counted = np.where(weight > 0, log_total, 0)
    return (
        weight @ counted
        + pseudo.words @ safe_log(np.float64(mixture.words), dtype).sum(axis=1)
        + (pseudo.classes * np.log(mixture.classes).sum() if pseudo.classes > 0 else 0)
        + (pseudo.components * np.log(mixture.components).sum() if pseudo.components > 0 else 0)
    )


@dataclass(frozen=True)
class LearnedMixture:
    """The parameters after the last step; before each step and at the end the objective at its power."""

    mixture: Mixture
    share: np.ndarray  # (D, K): P(z|d) at power 1
    log_likelihood: float
    trace: list[float]


def corpus_words(X, weight, n_topics):
    """(W, K): every component has the words of all documents."""
    words = weight @ np.float64(X)
    return np.tile((words / words.sum())[:, np.newaxis], n_topics)


def learn_mixture(X, weight, code, topic_class, n_classes, pseudo, share, powers):
    """From the documents' first components one step at each power, the last of which is only looked at."""
    old_words = corpus_words(X, weight, len(topic_class))
    mixture = mixture_maximize(X, weight, share, topic_class, n_classes, pseudo, old_words)
    trace = []
    for number, power in enumerate(powers, 1):
        joint = mixture_joint(X, code, topic_class, mixture)
        share, log_total = mixture_posterior(joint, power, code, topic_class)
        trace.append(mixture_objective(log_total, weight, mixture, pseudo, X.dtype))
        if number < len(powers):
            mixture = mixture_maximize(X, weight, share, topic_class, n_classes, pseudo, mixture.words)
    share, log_total = mixture_posterior(mixture_joint(X, code, topic_class, mixture), 1.0, code, topic_class)
    return LearnedMixture(mixture, share, weight @ np.where(weight > 0, log_total, 0), trace)


def best_order(value):
    """The highest sum of value[place, order[place]] over all orders of the columns."""
    places = range(len(value))
    return max(sum(value[place, order[place]] for place in places) for order in permutations(places))


def divergences(from_words, to_words):
    """(K, K): KL(column i of the first || column j of the second), in which no word has probability zero."""
    log_ratio = np.log(from_words[:, :, np.newaxis]) - np.log(to_words[:, np.newaxis])
    return (from_words[:, :, np.newaxis] * log_ratio).sum(axis=0)


# --- links between documents ---------------------------------------------------------------------


def linked(theta, pairs, weights, together, each, least=1e-12):
    """Expected topic counts of must-links or cannot-links, one pair after the other, and their penalties.

    A pair (i, j) that belongs together: one z is drawn for both, P(z) ~ theta_iz theta_jz. One that does not:
    z1 and z2 are drawn apart, P(z1, z2) ~ theta_iz1 theta_jz2 where z1 != z2 (seed 002, eq. 22 and 23). A
    document's counts are divided by how often it counts, as those of its words are not multiplied by it.
    """
    n_topics = theta.shape[1]
    count = np.zeros(theta.shape)
    penalty = 0.0
    for (i, j), weight in zip(pairs, weights, strict=True):
        same = sum(theta[i, z] * theta[j, z] for z in range(n_topics))
        chance = max(same if together else 1 - same, least)
        penalty += weight * np.log(chance)
        for z1 in range(n_topics):
            for z2 in range(n_topics):
                if (z1 == z2) == together:
                    expected = weight * theta[i, z1] * theta[j, z2] / chance
                    count[i, z1] += expected / each[i]
                    count[j, z2] += expected / each[j]
    return count, penalty


def linked_step(X, theta, phi, weight, prior, smoothing, must, cannot):
    """One MM step of topic-sensitive PLSA: new P(z|d), new P(w|z), and the objective of the old ones.

    `must` and `cannot` are lists of (pair, weight). phi is (W, K).
    """
    mixed = theta @ phi.T
    ratio = np.divide(X, mixed, out=np.zeros_like(mixed), where=mixed > 0)
    doc = theta * (ratio @ phi)
    word = phi * ((weight[:, np.newaxis] * ratio).T @ theta)
    with np.errstate(divide="ignore", invalid="ignore"):
        objective = np.nansum(weight[:, np.newaxis] * np.where(X > 0, X * np.log(mixed), 0))
        objective += smoothing * np.log(phi).sum() + (weight * (prior * np.log(theta)).sum(axis=1)).sum()
    new = doc + prior
    for links, together in ((must, True), (cannot, False)):
        pairs, weights = [pair for pair, _ in links], [strength for _, strength in links]
        count, penalty = linked(theta, pairs, weights, together, weight)
        new = new + count
        objective += penalty
    word = word + smoothing
    return new / new.sum(axis=1, keepdims=True), word / word.sum(axis=0), objective


# --- a committee of topic models -----------------------------------------------------------------


def opinion(topic, n_topics, likeness, positive, judges, recall):
    """The documents of the topics with the highest r^2 / P(f = 1), trying one topic more after the other."""
    others = [d for d in range(len(topic)) if not positive[d]]
    mean = {}
    for z in range(n_topics):
        of_topic = [likeness[d] for d in others if topic[d] == z]
        mean[z] = np.mean(of_topic) if of_topic else -np.inf
    order = sorted(range(n_topics), key=lambda z: -mean[z])
    best, chosen = -1.0, None
    for last in range(1, n_topics):
        taken = set(order[:last])
        found = sum(topic[d] in taken for d in judges)
        flagged = (sum(topic[d] in taken for d in others) + 1) / (len(others) + 1)
        value = recall(found, len(judges)) ** 2 / flagged
        if value > best:
            best, chosen = value, taken
    return np.array([z in chosen for z in topic]), best


# --- active learning -----------------------------------------------------------------------------


def share_of_classes(state_counts, topic_class, n_classes):
    """(C, K): P(class|topic): a class has its own topics; others are shared as their labeled words are."""
    share = np.zeros((n_classes, len(topic_class)))
    for z, c in enumerate(topic_class):
        total = state_counts[:n_classes, z].sum()
        if c >= 0:
            share[c, z] = 1
        else:
            share[:, z] = state_counts[:n_classes, z] / total if total > 0 else 1 / n_classes
    return share


def suppose_answer(
    X,
    code,
    topic_class,
    n_classes,
    doc_topic,
    word_topic,
    *,
    document,
    of_class,
    judged,
    strength: float,
    unlabeled_weight: float,
    smoothing: float,
    rounds: int,
):
    """P(class|document) of the judged documents, one document without a label being of a class.

    An expectation at the parameters gives N(z); the expected counts are N(w, z) = N(z) P(w|z). The document
    has part u n(d, w) P(z|w, d) in them, which n(d, w) P(z|w, d, y) takes the place of, its topics those of
    the class. Columns are normalized, and the judged documents go some rounds on from where they are.
    """
    gate = missing_label_gate(topic_class, n_classes)
    state = np.where(code >= 0, code, n_classes)
    each = np.where(code >= 0, 1.0, unlabeled_weight)
    found = expect(X, each, state, gate, None, doc_topic, word_topic)
    of_topic = found.state.sum(axis=0) + smoothing * X.shape[1]
    topics, own = doc_topic[document], gate[of_class]
    as_it_was, _ = posterior(topics, np.ones(len(topic_class)), word_topic)
    as_one_of_it, _ = posterior(topics if topics @ own > 0 else own, own, word_topic)
    counts = of_topic * word_topic
    counts += X[document][:, np.newaxis] * (as_one_of_it - unlabeled_weight * as_it_was)
    words = np.maximum(counts, 0) / (of_topic + X[document] @ (as_one_of_it - unlabeled_weight * as_it_was))
    prior = strength * topic_prior(topic_class, class_frequencies(code, None, n_classes))
    everything = np.ones((1, len(topic_class)))
    folded = fold(X[judged], None, everything, prior[np.newaxis], words, doc_topic[judged], rounds, 0.0)
    return by_class(folded.doc_topic, share_of_classes(found.state, topic_class, n_classes))


def squared_hinge(X, own, weight, b):
    """|b|^2 / 2 + sum_d weight[d] max(0, 1 - t[d] <X[d], b>)^2, and its slope; t is 1 where own, else -1."""
    t = np.where(own, 1.0, -1.0)
    short = np.maximum(0, 1 - t * (X @ b))
    return b @ b / 2 + weight @ short**2, b - 2 * X.T @ (weight * t * short)


def log_softmax(scores, leveling=0.0):
    """Logarithms of probabilities, row by row: exp(s / h^leveling), h being the first less the mean."""
    height = scores.max(axis=1, keepdims=True) - scores.mean(axis=1, keepdims=True)
    scores = scores / np.maximum(height, 0.01) ** leveling
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


# --- decisions, taken apart ----------------------------------------------------------------------


def explained_by_topics(n, prior, strength, word_topic, of_topics):
    """What the first round of folding in makes of a document with counts n: (W, C), a share for each word.

    n(w) / N (sum_z of_topics[y, z] P(z|w) - q[y]), q being that of the prior, N all counts and pseudo-counts.
    """
    total = sum(n) + strength
    share = np.zeros((len(n), len(of_topics)))
    for w in range(len(n)):
        joint = [prior[z] * word_topic[w][z] for z in range(len(prior))]
        for y in range(len(of_topics)):
            said = sum(of_topics[y][z] * joint[z] for z in range(len(prior))) / sum(joint)
            before = sum(of_topics[y][z] * prior[z] for z in range(len(prior)))
            share[w, y] = n[w] / total * (said - before)
    return share


# --- labels that may be wrong --------------------------------------------------------------------


def sharpened(p, power):
    """p^power, each row brought to sum one."""
    q = np.zeros_like(p)
    for d in range(len(p)):
        for y in range(p.shape[1]):
            q[d, y] = p[d, y] ** power
        q[d] /= q[d].sum()
    return q


def true_classes(q, given, table):
    """P(true class y | d, g) ~ q(y|d) T[g, y]."""
    true = np.zeros_like(q)
    for d, g in enumerate(given):
        for y in range(q.shape[1]):
            true[d, y] = q[d, y] * table[g, y]
        true[d] /= true[d].sum()
    return true


def learn_noise_table(q, given, weight, table, belief):
    """The next T[g, y] ~ N[g, y] + belief * (1 - e if g == y else e / (C - 1)).

    N is the expected number of documents of class y with label g, and e the share of wrong labels in it, with
    one of ten documents more.
    """
    n_classes = q.shape[1]
    true = true_classes(q, given, table)
    number = np.zeros((n_classes, n_classes))
    for d, g in enumerate(given):
        for y in range(n_classes):
            number[g, y] += weight[d] * true[d, y]
    wrong = sum(number[g, y] for g in range(n_classes) for y in range(n_classes) if g != y)
    share = (wrong + 1) / (number.sum() + 10)
    found = np.zeros((n_classes, n_classes))
    for y in range(n_classes):
        for g in range(n_classes):
            alike = 1 - share if g == y else share / (n_classes - 1)
            found[g, y] = number[g, y] + belief * alike
        found[:, y] /= found[:, y].sum()
    return found


def noise_log_likelihood(q, given, weight, table):
    """sum_d weight log sum_y q(y|d) T[g, y]."""
    total = 0.0
    for d, g in enumerate(given):
        total += weight[d] * np.log(sum(q[d, y] * table[g, y] for y in range(q.shape[1])))
    return total
