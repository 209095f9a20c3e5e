namespace Ioxide.Pg;

/// <summary>What a command has to send for its statement.</summary>
internal enum StatementUse
{
    /// <summary>Bind and Execute: the connection has the statement.</summary>
    Ready,

    /// <summary>Parse and Describe in front of them, in the same flight: the columns are known from another connection.</summary>
    Parse,

    /// <summary>Parse and Describe alone: the columns decide in which formats Bind asks for them.</summary>
    Learn,

    /// <summary>Nothing: another command is just learning the columns, and submits this one when it knows them.</summary>
    Wait,
}

/// <summary>A statement on one connection.</summary>
internal sealed class PreparedStatement(PgStatement statement, byte[] name)
{
    internal PgStatement Statement { get; } = statement;

    /// <summary>Its name on the server; empty for the unnamed one.</summary>
    internal byte[] Name { get; } = name;

    /// <summary>What it returns, or null while that is not known.</summary>
    internal ResultColumns? Columns { get; set; }

    /// <summary>The server has confirmed the Parse.</summary>
    internal bool IsParsed { get; private set; }

    /// <summary>A command is learning the columns.</summary>
    internal bool IsLearning { get; set; }

    /// <summary>It failed in a way that another Parse mends.</summary>
    internal bool IsStale { get; set; }

    /// <summary>Commands that wait for the columns.</summary>
    internal List<Operation>? Waiters { get; set; }

    /// <summary>Neighbours in the order of their last use.</summary>
    internal PreparedStatement? Newer { get; set; }

    internal PreparedStatement? Older { get; set; }

    internal void Parsed() => IsParsed = true;
}
