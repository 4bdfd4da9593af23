"""Krithara, Goutte, Amini and Renders (2006), *Reducing the Annotation Burden in Text Classification*.

Its experiments and those of chapter 6 of Krithara's thesis on active learning, run again, with the strategies
of McCallum and Nigam and of Roy and McCallum and with three other libraries on the same pools: which learner
needs the fewest labels when it may choose the documents to be labeled.
"""
