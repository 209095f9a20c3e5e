namespace Ioxide.Pg.Data;

/// <summary>Output parameters: values of the first row, which the reader still returns.</summary>
public sealed partial class PgDbDataReader
{
    /// <summary>Fills the parameters of the batch command whose result the reader has reached.</summary>
    private bool CameToResult(Step step)
    {
        if (step == Step.Yes)
        {
            FillOutput(_roundTrip[_item].Source?.Parameters);
        }

        return step == Step.Yes;
    }

    /// <summary>Gives each output parameter the column of its name. The others take the remaining columns, in order.</summary>
    internal void FillOutput(PgDbParameterCollection? parameters)
    {
        if (parameters is null || !_hasRows || !parameters.HasOutput())
        {
            return;
        }

        // The next row is the first one: it is examined, and stays to be read.
        int position = _position;
        StepToRow();
        Fill(parameters);
        _position = position;
        _rowLength = -1;
        _hasShownRow = false;
    }

    private void Fill(PgDbParameterCollection parameters)
    {
        bool[] isTaken = new bool[FieldCount];
        var waiting = new Queue<PgDbParameter>();
        for (int i = 0; i < parameters.Count; i++)
        {
            PgDbParameter parameter = parameters[i];
            if (!parameter.IsOutput)
            {
                continue;
            }

            int column = parameter.BareName.Length > 0 ? _shape.IndexOf(parameter.BareName) : -1;
            if (column < 0 || isTaken[column])
            {
                waiting.Enqueue(parameter);
                continue;
            }

            isTaken[column] = true;
            parameter.Value = FieldAt(column).Object();
        }

        for (int column = 0; column < isTaken.Length && waiting.Count > 0; column++)
        {
            if (!isTaken[column])
            {
                waiting.Dequeue().Value = FieldAt(column).Object();
            }
        }
    }
}
