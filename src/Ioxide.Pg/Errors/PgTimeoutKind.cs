namespace Ioxide.Pg;

/// <summary>The kind of time limit.</summary>
public enum PgTimeoutKind
{
    /// <summary>The limit for opening a connection.</summary>
    Connect,

    /// <summary>The limit for a command, counted from when the server could begin with it.</summary>
    Command,
}
