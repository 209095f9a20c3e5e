namespace Ioxide.Pg;

/// <summary>Keywords of other drivers: those that can be ignored safely, and those that cannot.</summary>
internal static partial class ConnectionKeywords
{
    private static void AddWithoutEffect(Dictionary<string, ConnectionKeyword> table)
    {
        // Sizes and settings of Npgsql's internals, behaviour that never occurs here, and behaviour that always does.
        const string WithoutEffect =
            "Include Error Detail|Include Failed Batched Command|Kerberos Service Name|krbsrvname|" +
            "Include Realm|gsslib|gssdelegation|Trust Server Certificate|Connection Pruning Interval|Internal Command Timeout|" +
            "Host Recheck Seconds|Auto Prepare Min Usages|Read Buffer Size|Write Buffer Size|Socket Receive Buffer Size|" +
            "Socket Send Buffer Size|Multiplexing|Write Coalescing Buffer Threshold Bytes|Load Table Composites|" +
            "EF Template Database|EF Admin Database|Entity Template Database|Entity Admin Database|Use Perf Counters|" +
            "Backend Timeouts|Preload Reader|Use Extended Types|Use Ssl Stream|sslcompression|tty|authtype";
        Add(table, WithoutEffect, static (_, _) => { });
    }

    private static void AddRefused(Dictionary<string, ConnectionKeyword> table)
    {
        AddOnly(table, "Log Parameters", "false", "values of parameters are never logged. Log them in the application.");
        AddOnly(table, "Integrated Security", "false", "Kerberos is not supported. Use SCRAM or a client certificate.");
        AddOnly(table, "gssencmode|GSS Encryption Mode", "disable|prefer", "GSSAPI encryption is not supported. Use sslmode.");
        AddOnly(table, "replication|Replication Mode", "off|false|0|no", "the replication protocol is not supported.");
        AddOnly(
            table, "Server Compatibility Mode", "none|notypeloading",
            "only PostgreSQL's own catalogue is read. Use NoTypeLoading for other servers.",
            static (s, v) => s.Options.LoadTypes = Simplify(v.Text) != "notypeloading");
        AddOnly(table, "Array Nullability Mode", "never", "ask for arrays of the nullable type where elements may be NULL: GetFieldValue<int?[]>.");
        AddOnly(table, "Convert Infinity DateTime", "false", "infinity is a value of its own.");
        AddOnly(table, "sslsni", "1|true", "the host's name is always sent.");
        AddOnly(table, "sslcertmode", "allow", "the client certificate is sent when the server asks for it.");
        AddOnly(table, "min_protocol_version|max_protocol_version", "3.0", "protocol 3.0 is spoken.");
        AddOnly(table, "ssl_min_protocol_version", "TLSv1.2", "the operating system's policy chooses the version of TLS.");
        AddOnly(table, "ssl_max_protocol_version", "", "the operating system's policy chooses the version of TLS.");
        AddOnly(table, "sslcrl|sslcrldir", "", "use Check Certificate Revocation.");
        AddOnly(table, "requirepeer", "", "protect the socket's folder by its permissions.");
        AddOnly(table, "service|servicefile", "", "service files are not read. Write the options out.");
        AddOnly(table, "scram_client_key|scram_server_key", "", "give the password.");
        AddOnly(
            table, "oauth_issuer|oauth_client_id|oauth_client_secret|oauth_scope", "", "the application gets the token: set " +
                "TokenProvider.");
    }

    /// <param name="table">The table.</param>
    /// <param name="names">Keywords, separated by <c>|</c>.</param>
    /// <param name="accepted">Values that match the behaviour of this driver, separated by <c>|</c>; an empty one always does.</param>
    /// <param name="why">The error message for another value.</param>
    /// <param name="set">What an accepted value changes; null: nothing.</param>
    private static void AddOnly(
        Dictionary<string, ConnectionKeyword> table, string names, string accepted, string why, Action<ConnectionSettings, SettingValue>? set = null)
        => Add(table, names, (settings, value) =>
        {
            bool isAccepted = value.Text.Length == 0 || accepted.Split('|').Any(
                text => string.Equals(Simplify(text), Simplify(value.Text), StringComparison.Ordinal)
                    || (text is "true" or "false" && IsBoolean(value, text == "true")));
            if (!isAccepted)
            {
                throw value.Refused(why);
            }

            set?.Invoke(settings, value);
        });

    private static bool IsBoolean(SettingValue value, bool wanted) => value.Boolean() == wanted;
}
