using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>Output parameters: values of the first row, which the reader still returns.</summary>
internal static class OutputParameters
{
    /// <summary>Gives each output parameter the column of its name. The others take the remaining columns, in order.</summary>
    internal static void Fill(PgDbParameterCollection? parameters, RowCursor rows, DbDataReader owner)
    {
        if (parameters is null || !rows.HasRows || !parameters.HasOutput())
        {
            return;
        }

        int position = rows.PeekRow();
        bool[] isTaken = new bool[rows.Shape.Names.Length];
        var waiting = new Queue<PgDbParameter>();
        for (int i = 0; i < parameters.Count; i++)
        {
            PgDbParameter parameter = parameters[i];
            if (!parameter.IsOutput)
            {
                continue;
            }

            int column = parameter.BareName.Length > 0 ? rows.Shape.IndexOf(parameter.BareName) : -1;
            if (column < 0 || isTaken[column])
            {
                waiting.Enqueue(parameter);
                continue;
            }

            isTaken[column] = true;
            parameter.Value = rows.FieldAt(column, owner).Object();
        }

        for (int column = 0; column < isTaken.Length && waiting.Count > 0; column++)
        {
            if (!isTaken[column])
            {
                waiting.Dequeue().Value = rows.FieldAt(column, owner).Object();
            }
        }

        rows.StepBack(position);
    }
}
