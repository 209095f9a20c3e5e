namespace Ioxide.Pg;

/// <summary>A statement on one connection.</summary>
/// <param name="statement">The statement.</param>
/// <param name="name">Its name on the server; empty for the unnamed one.</param>
/// <param name="epoch">The <see cref="ColumnsCache.Epoch"/> when it was parsed.</param>
/// <param name="ownChanges">How often the connection itself had altered tables by then.</param>
internal sealed class PreparedStatement(PgStatement statement, byte[] name, int epoch, int ownChanges)
{
    internal PgStatement Statement { get; } = statement;

    /// <summary>Its name on the server; empty for the unnamed one.</summary>
    internal byte[] Name { get; } = name;

    internal int Epoch { get; } = epoch;

    internal int OwnChanges { get; } = ownChanges;

    /// <summary>Its result columns, in the formats that its Bind requests; null until the server has described it.</summary>
    internal ResultColumns? Columns { get; set; }

    /// <summary>The server has confirmed the Parse.</summary>
    internal bool IsParsed { get; private set; }

    /// <summary>It failed in a way that another Parse repairs.</summary>
    internal bool IsStale { get; set; }

    /// <summary>Neighbours in the order of their last use.</summary>
    internal PreparedStatement? Newer { get; set; }

    internal PreparedStatement? Older { get; set; }

    internal void Parsed() => IsParsed = true;
}
