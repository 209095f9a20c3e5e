namespace Ioxide.Pg;

/// <summary>Whether a server has the wanted role.</summary>
internal enum TargetSessionVerdict
{
    Accept,
    Refuse,

    /// <summary>The server did not say: send <see cref="TargetSession.Question"/> and judge its answer.</summary>
    Ask,
}

/// <summary>Judges a started session by <see cref="PgDataSourceOptions.TargetSessionAttributes"/>.</summary>
/// <remarks>Source: PostgreSQL manual, 34.1.2, target_session_attrs. Servers from 14 report both parameters; older ones are
/// queried.</remarks>
internal static class TargetSession
{
    /// <summary>Returns <c>on</c> or <c>off</c> as text: whether writes are refused, and whether the server is in hot standby.</summary>
    internal static ReadOnlySpan<byte> Question
        => "select current_setting('transaction_read_only'), case when pg_catalog.pg_is_in_recovery() then 'on' else 'off' end"u8;

    /// <param name="wanted">
    /// The wanted role. <see cref="PgTargetSession.PreferStandby"/> refuses a primary, and <see cref="PgTargetSession.PreferPrimary"/> a standby:
    /// try the hosts again with Any.
    /// </param>
    /// <param name="parameters">The parameters that the server reported.</param>
    internal static TargetSessionVerdict Judge(PgTargetSession wanted, IReadOnlyDictionary<string, string> parameters)
    {
        if (wanted == PgTargetSession.Any)
        {
            return TargetSessionVerdict.Accept;
        }

        return parameters.TryGetValue("in_hot_standby", out string? standby)
            && parameters.TryGetValue("default_transaction_read_only", out string? readOnly)
                ? Judge(wanted, isReadOnly: readOnly == "on" || standby == "on", isStandby: standby == "on")
                : TargetSessionVerdict.Ask;
    }

    internal static TargetSessionVerdict Judge(PgTargetSession wanted, bool isReadOnly, bool isStandby)
    {
        bool fits = wanted switch
        {
            PgTargetSession.Any => true,
            PgTargetSession.ReadWrite => !isReadOnly,
            PgTargetSession.ReadOnly => isReadOnly,
            PgTargetSession.Primary or PgTargetSession.PreferPrimary => !isStandby,
            _ => isStandby,
        };
        return fits ? TargetSessionVerdict.Accept : TargetSessionVerdict.Refuse;
    }
}
