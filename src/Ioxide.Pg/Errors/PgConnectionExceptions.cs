using System.Data.Common;

namespace Ioxide.Pg;

/// <summary>No connection to the server could be made, or the one in use was lost.</summary>
public class PgConnectionException : DbException
{
    internal PgConnectionException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>TLS was offered and could not be agreed on; with <see cref="PgSslMode.Prefer"/> clear text is tried.</summary>
    internal bool IsTlsFailure { get; init; }

    /// <summary>
    /// True: another connection may serve the same command. Whether a command that was on its way had run is not known.
    /// </summary>
    public override bool IsTransient => true;
}

/// <summary>The peer does not speak the protocol as it must. The connection is closed.</summary>
public sealed class PgProtocolException : PgConnectionException
{
    internal PgProtocolException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <inheritdoc/>
    public override bool IsTransient => false;

    internal static PgProtocolException RowWithoutDescription() => new("The server sent a row that it had not described.");
}

/// <summary>The peer could not prove who it is, or asks for a proof that the options refuse.</summary>
public sealed class PgAuthenticationException : PgConnectionException
{
    internal PgAuthenticationException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <inheritdoc/>
    public override bool IsTransient => false;
}

/// <summary>The wait queue of the pool is full, or the wait in it took too long: every connection is busy.</summary>
public sealed class PgPoolExhaustedException : DbException
{
    internal PgPoolExhaustedException(string message, Exception? cause = null)
        : base(cause is null ? message : $"{message} The last attempt to connect failed: {cause.Message}", cause)
    {
    }

    /// <inheritdoc/>
    public override bool IsTransient => true;
}

/// <summary>Which clock ran out.</summary>
public enum PgTimeoutKind
{
    /// <summary>Making the connection.</summary>
    Connect,

    /// <summary>The command, counted from when the server could begin with it.</summary>
    Command,
}

/// <summary>A connection or a command took longer than it was allowed to.</summary>
public sealed class PgTimeoutException : DbException
{
    internal PgTimeoutException(PgTimeoutKind kind, TimeSpan limit, string message, Exception? inner = null)
        : base(message, inner)
    {
        Kind = kind;
        Limit = limit;
    }

    /// <summary>Which clock ran out.</summary>
    public PgTimeoutKind Kind { get; }

    /// <summary>What was allowed.</summary>
    public TimeSpan Limit { get; }

    /// <inheritdoc/>
    public override bool IsTransient => true;
}

/// <summary>A row was asked for and the command returned none.</summary>
public sealed class PgNoRowException : InvalidOperationException
{
    internal PgNoRowException()
        : base("The command returned no row. Ask with an OrDefault method where that is no error.")
    {
    }
}

/// <summary>A value cannot be read as, or written from, the type asked for.</summary>
public sealed class PgTypeException : InvalidCastException
{
    internal PgTypeException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>The types fit; the value lies outside what the .NET type can hold.</summary>
    internal bool IsRange { get; init; }
}

/// <summary>A row, or a result that is collected whole, is larger than the options allow. The connection lives on.</summary>
public sealed class PgResultTooLargeException : InvalidOperationException
{
    internal PgResultTooLargeException(long limitBytes)
        : base(
            $"The result is larger than {limitBytes:N0} bytes. Stream it (RowsAsync, or StreamJsonAsync), " +
            $"fetch less, or raise {nameof(PgDataSourceOptions.MaxBufferedResultBytes)}.")
    {
    }

    internal PgResultTooLargeException(long rowBytes, long limitBytes)
        : base(
            $"A row of {rowBytes:N0} bytes was skipped; the limit is {limitBytes:N0}. " +
            $"Raise {nameof(PgDataSourceOptions.MaxMessageBytes)}, or fetch the value in parts (substring).")
    {
    }

    internal PgResultTooLargeException(string column, long valueBytes, long limitBytes)
        : base(
            $"The value of column '{column}' has {valueBytes:N0} bytes and is not read as a whole; the limit is {limitBytes:N0}. " +
            $"Read it with GetStream, or raise {nameof(PgDataSourceOptions.MaxMessageBytes)}.")
    {
    }
}
