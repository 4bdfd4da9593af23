"""`plsa topics`: what a file of texts is about, without labels; or the topics of a model that was saved."""

import argparse
import sys

from plsa.app import reading
from plsa.app.options import add_run_options, whole
from plsa.app.page import say
from plsa.app.pictures import add_plot_option, check_picture_file, save_plot
from plsa.app.writing import check_output
from plsa.estimators.text import WordCounter, text_classifier
from plsa.estimators.topics import PLSA
from plsa.evaluation.coherence import topic_table
from plsa.files.models import load, save
from plsa.show import plots
from plsa.show.representatives import representatives
from plsa.show.words import top_words

_SMOOTHING = 0.1  # of P(w|z): words of one topic are not ruled out in the others
_RARE = 2  # texts that a word has to stand in


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `plsa topics` can be told."""
    reading.add_file(parser, f"{reading.FILES}; or a saved model")
    parser.add_argument("-k", type=whole("k", 1), default=10, metavar="N", help="topics (default 10)")
    words = "words that are shown of a topic (default 10)"
    parser.add_argument("--words", type=whole("words", 1), default=10, metavar="N", help=words)
    typical = "typical documents that are shown of a topic (default 2)"
    parser.add_argument("--typical", type=whole("typical", 0), default=2, metavar="N", help=typical)
    parser.add_argument(
        "-o", "--output", metavar="MODEL", help="save the model, for plsa topics and plsa plot"
    )
    add_plot_option(parser)
    reading.add_input_options(parser, label=False)
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the table of topics, and their typical documents."""
    check_picture_file(args.plot, args.force)
    check_output(args.output, args.force)
    if reading.is_model(args.file):
        model = load(args.file)
        sys.stdout.write(f"{top_words(model, n=args.words)}\n")
    else:
        texts = [text for _, batch in reading.batches(args) for text in batch.texts]
        if len(texts) < _RARE:
            raise ValueError(f"{args.file} holds one document: topics need several to tell apart.")
        rare = _RARE if len(texts) > 10 * _RARE else 1
        topics = PLSA(args.k, smoothing=_SMOOTHING, random_state=args.seed, n_threads=args.threads)
        model = text_classifier(topics, vectorizer=WordCounter(max_df=0.5, min_df=rare))
        model[-1].set_params(verbose=int(not args.quiet))  # of the pipeline it would be on standard output
        model.fit(texts)
        model[-1].set_params(verbose=0)
        sys.stdout.write(f"{topic_table(model, texts, n_words=args.words)}\n")
        if args.typical:
            sys.stdout.write(f"\n{representatives(model, texts, args.typical)}\n")
    if args.output is not None:
        save(model, args.output)
        say(args, f"saved {args.output}")
    save_plot(args, lambda: plots.top_words(model))
    return 0
