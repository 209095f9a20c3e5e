namespace Ioxide.Pg.Tests;

/// <summary>The users of every server of the tests: one for each way to sign in. What their names say is how.</summary>
internal static class PgUsers
{
    /// <summary>The superuser; trusted.</summary>
    internal const string Super = "postgres";

    /// <summary>Owner of the databases; trusted.</summary>
    internal const string Trust = "app_trust";

    /// <summary>Sends its password as it is.</summary>
    internal const string Cleartext = "app_cleartext";

    internal const string Md5 = "app_md5";

    internal const string Scram = "app_scram";

    /// <summary>Signs in by SCRAM with <see cref="UnicodePassword"/>.</summary>
    internal const string Unicode = "app_unicode";

    /// <summary>Shows <see cref="ServerCertificates.ClientFile"/>; over TLS only.</summary>
    internal const string Certificate = "app_cert";

    /// <summary>Trusted over TLS, refused without it.</summary>
    internal const string TlsOnly = "app_tls";

    /// <summary>Trusted without TLS, refused over it.</summary>
    internal const string PlainOnly = "app_plain";

    /// <summary>No way in.</summary>
    internal const string Rejected = "app_rejected";

    /// <summary>The password of all users that have one, except <see cref="Unicode"/>. The quote and the blank are part of it.</summary>
    internal const string Password = "it's a secret;=";

    /// <summary>SASLprep makes <c>p IX</c> and an umlaut of it: a no-break space, a compatibility character, and a soft hyphen.</summary>
    internal const string UnicodePassword = "p\u00a0\u2168\u00adä";

    internal static readonly IReadOnlyList<string> All = [Trust, Cleartext, Md5, Scram, Unicode, Certificate, TlsOnly, PlainOnly, Rejected];

    /// <summary>A line a rule; the first that fits holds.</summary>
    internal static string HostBasedAuthentication { get; } = $"""
        local     all {Cleartext} password
        local     all {Md5} md5
        local     all {Scram},{Unicode} scram-sha-256
        local     all {Certificate},{Rejected},{TlsOnly} reject
        host      all {Cleartext} all password
        host      all {Md5} all md5
        host      all {Scram},{Unicode} all scram-sha-256
        hostssl   all {Certificate} all cert
        host      all {Certificate},{Rejected} all reject
        hostnossl all {TlsOnly} all reject
        hostssl   all {PlainOnly} all reject
        local     all all trust
        host      all all all trust

        """;

    /// <summary>Makes them; one statement a line, as the server's single-user mode reads.</summary>
    internal static string CreationScript { get; } =
        $"set password_encryption = 'md5';\n{Create(Md5, Password)}"
        + $"set password_encryption = 'scram-sha-256';\n{Create(Cleartext, Password)}{Create(Scram, Password)}{Create(Unicode, UnicodePassword)}"
        + string.Concat(All.Except([Md5, Cleartext, Scram, Unicode]).Select(name => $"create role {name} login;\n"))
        + "grant create on schema public to public;\n";

    private static string Create(string name, string password)
        => $"create role {name} login password '{password.Replace("'", "''", StringComparison.Ordinal)}';\n";
}
