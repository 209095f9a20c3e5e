namespace Ioxide.Pg.Data;

/// <summary>Output parameters: values of the first row, which the reader shows all the same.</summary>
public sealed partial class PgDbDataReader
{
    /// <summary>Gives each output parameter the column of its name, and those that are left the columns that are left, in order.</summary>
    internal void FillOutput(PgDbParameterCollection? parameters)
    {
        if (parameters is null || !_hasRows || !parameters.HasOutput())
        {
            return;
        }

        // What follows is the first row: it is looked at, and stays to be read.
        int position = _position;
        StepToRow();
        Fill(parameters);
        _position = position;
        _rowLength = -1;
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
            parameter.Value = GetValue(column);
        }

        for (int column = 0; column < isTaken.Length && waiting.Count > 0; column++)
        {
            if (!isTaken[column])
            {
                waiting.Dequeue().Value = GetValue(column);
            }
        }
    }
}
