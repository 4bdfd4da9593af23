"""Active learners compared: which needs the fewest labels when it may choose the documents to be labeled."""
