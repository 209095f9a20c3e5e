namespace Ioxide.Pg;

/// <summary>A row, or a result that is collected whole, is larger than the options allow. The connection continues.</summary>
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
