"""Rows as pandas frames whose columns can hold missing values."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

TEXT, WHOLE, REAL, YES_NO, LIST = "string", "Int64", "Float64", "boolean", "object"


def frame(rows: Iterable[Mapping[str, Any]], types: Mapping[str, str]) -> "pd.DataFrame":
    """A frame of rows with these columns in this order, also if there is no row."""
    import pandas as pd

    listed = list(rows)
    return pd.DataFrame(
        {name: pd.Series([row[name] for row in listed], dtype=kind) for name, kind in types.items()}
    )


def frame_of_arrow(table: "pa.Table") -> "pd.DataFrame":
    """An Arrow table as a frame with nullable types; moments keep their time zone."""
    import pandas as pd
    import pyarrow as pa

    nullable: dict[Any, Any] = {
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.float64(): pd.Float64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype(),
    }
    found: pd.DataFrame = table.to_pandas(types_mapper=nullable.get)
    return found
