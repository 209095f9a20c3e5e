namespace Ioxide.Pg;

/// <summary>
/// The data source of a host cannot start. The host prints one line, without the calls that led there: no code of the application is at fault.
/// </summary>
internal sealed class PgStartException(string message, Exception cause) : PgConnectionException(message, cause)
{
    /// <summary>Not reachable from this host at this time, or refused for good: as the cause says.</summary>
    public override bool IsTransient => InnerException is System.Data.Common.DbException { IsTransient: true };

    /// <summary>A data source needs reactors, and the host refuses them.</summary>
    internal static PgStartException Of(RingUnavailableException refusal)
        => new($"The data source of AddIoxidePg cannot start, because its connections live on reactors. {refusal.Message}", refusal);

    /// <summary>The connections of the minimum could not be opened.</summary>
    internal static PgStartException Of(PgDataSourceOptions options, Exception cause)
        => new(
            $"The data source of AddIoxidePg cannot start: no connection to database {options.Database} on {string.Join(',', options.Hosts)} as user "
                + $"{options.Username}. {cause.Message.ReplaceLineEndings(" ")} {ConnectFailure.RemedyOf(cause)}",
            cause);

    public override string ToString() => Message;
}
