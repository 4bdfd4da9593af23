"""Model files of every version of their format, and what the models in them say.

    python tests/old_files.py

writes those of the format that this version writes, to `tests/data/format-N`: to be done once, when the
format is new, and never again.
"""

import json
from pathlib import Path

import plsa
from plsa.files.container import FORMAT

DATA = Path(__file__).parent / "data"
TEXTS = [
    "a cup of tea with milk",
    "milk and sugar in a cup",
    "green tea, crème brûlée",
    "the team has a goal",
    "a ball for the team",
    "goal of the ball game",
    "sugar and tea",
    "ball, ball and goal",
]
LABELS = ["food", "food", None, "sport", "sport", None, None, None]
NEW = ["tea for the team", "brûlée with sugar", "a ball", "", "nothing of that"]


def models():
    """Fitted models by name."""
    return {
        "texts": plsa.text_classifier(random_state=0).fit(TEXTS, LABELS),
        "topics": plsa.text_classifier(
            plsa.PLSAClassifier(topics_per_class=2, extra_topics=1, dtype="float64"), random_state=0
        ).fit(TEXTS, LABELS),
        "mixture": plsa.text_classifier(plsa.NaiveBayesEM(classes=["food", "sport", "zoo"])).fit(
            TEXTS, LABELS
        ),
    }


def main():
    """Writes the files and what their models say."""
    folder, said = DATA / f"format-{FORMAT}", {}
    folder.mkdir(parents=True)
    for name, model in models().items():
        plsa.save(model, folder / f"{name}.plsa")
        said[name] = {
            "repr": repr(model),
            "predict": model.predict(NEW).tolist(),
            "predict_proba": model.predict_proba(NEW).tolist(),
            "transform": model.transform(NEW).tolist(),
        }
    (folder / "answers.json").write_text(json.dumps({"documents": NEW, "models": said}, indent=1) + "\n")


if __name__ == "__main__":
    main()
