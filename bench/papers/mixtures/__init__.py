"""Nigam, McCallum and Mitchell (2006), *Semi-supervised text classification using EM*: its experiments.

One module for each: `newsgroups` (figures 3.1 and 3.2), `reuters` (tables 3.2 and 3.3, figure 3.3) and
`news5` (figures 3.4 and 3.5, table 3.4), all with `plsa.NaiveBayesEM`;
`safety` is about the weight that it chooses.
"""
