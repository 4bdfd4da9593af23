"""The experiments of Zhou, Xue, Yang and Yu on topic-sensitive PLSA (TKDE 22(1), 2010), run again.

`comparison` has tables 2 and 4 and figure 2, `links` tables 5, 6, 7 and 9 and figures 3 and 4. The paper's
third corpus, pages that its authors crawled from the Open Directory, is not to be had: the directory was
closed, and they did not publish their choice of 10,000 pages; so tables 3 and 8 have nothing beside them.
"""
