"""One module per table: `cases` lists the inputs, `measure` judges one written result, `MEASURES` describes the columns."""
