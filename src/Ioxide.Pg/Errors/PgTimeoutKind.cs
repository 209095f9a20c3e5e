namespace Ioxide.Pg;

/// <summary>Which clock ran out.</summary>
public enum PgTimeoutKind
{
    /// <summary>Making the connection.</summary>
    Connect,

    /// <summary>The command, counted from when the server could begin with it.</summary>
    Command,
}
