using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.Json.Serialization.Metadata;

namespace Ioxide.Pg;

/// <summary>The servers, authentication and pools of a data source. Read once, when the data source is created.</summary>
/// <remarks>
/// Options that are not set come from PG* environment variables, from the password file, and then from the defaults named
/// here. Passwords are part of neither <see cref="ToString"/> nor an exception.
/// Types of the application are mapped in one line each. A mapping gives the whole process the codec. The name in the database applies to the data
/// sources of these options: their ADO.NET facade returns the .NET type for columns of that type, and declares the type of parameters.
/// </remarks>
public sealed class PgDataSourceOptions
{
    internal const int DefaultPort = 5432;

    private const int DefaultMaxPerReactor = 8;

    /// <summary>The servers, in the order in which they are tried. Empty: PGHOST, else the local server.</summary>
    public IList<PgHost> Hosts { get; internal set; } = [];

    /// <summary>The database. Defaults to PGDATABASE, then to <see cref="Username"/>.</summary>
    public string? Database { get; set; }

    /// <summary>The role. Defaults to PGUSER, then to the name of the operating system's user.</summary>
    public string? Username { get; set; }

    /// <summary>The password. Defaults to PGPASSWORD, then to the password file.</summary>
    public string? Password { get; set; }

    /// <summary>Returns the password for each new connection, for tokens that expire. Excludes <see cref="Password"/>.</summary>
    /// <remarks>Threads: a reactor's, or the thread pool while a handler blocks that reactor.</remarks>
    public Func<CancellationToken, ValueTask<string>>? PasswordProvider { get; set; }

    /// <summary>
    /// Returns the bearer token for each new connection to a server that asks for one (<c>oauth</c> in pg_hba.conf, PostgreSQL 18). It is sent only
    /// under <see cref="PgSslMode.VerifyFull"/>.
    /// </summary>
    /// <remarks>Source: RFC 7628. Threads: a reactor's, or the thread pool while a handler blocks that reactor.</remarks>
    public Func<CancellationToken, ValueTask<string>>? TokenProvider { get; set; }

    /// <summary>The password file. Defaults to PGPASSFILE, then to <c>~/.pgpass</c>. It must be accessible to its owner only.</summary>
    public string? PassFile { get; set; }

    /// <summary>
    /// Encryption. Defaults to PGSSLMODE; then to <see cref="PgSslMode.Prefer"/> for unix sockets and loopback, to
    /// <see cref="PgSslMode.VerifyFull"/> if a root certificate is known, and otherwise to <see cref="PgSslMode.Require"/>. It has
    /// no effect on unix sockets.
    /// </summary>
    public PgSslMode? SslMode { get; set; }

    /// <summary>How encryption is begun. Defaults to PGSSLNEGOTIATION, then to <see cref="PgSslNegotiation.Postgres"/>.</summary>
    public PgSslNegotiation SslNegotiation { get => SslNegotiationSet ?? PgSslNegotiation.Postgres; set => SslNegotiationSet = value; }

    /// <summary>
    /// A file of trusted certificates (PEM), or <c>system</c> for those of the operating system. Defaults to PGSSLROOTCERT,
    /// then to <c>~/.postgresql/root.crt</c> if that exists, and then to <c>system</c> if verification is requested.
    /// </summary>
    public string? RootCertificate { get; set; }

    /// <summary>
    /// The client's certificate: PEM with its chain, or PKCS #12 (<c>.pfx</c>, <c>.p12</c>). Defaults to PGSSLCERT, then to
    /// <c>~/.postgresql/postgresql.crt</c> if that exists.
    /// </summary>
    public string? ClientCertificate { get; set; }

    /// <summary>
    /// The key of a PEM certificate. Defaults to PGSSLKEY, then to <c>~/.postgresql/postgresql.key</c>, then to the
    /// certificate's own file.
    /// </summary>
    public string? ClientKey { get; set; }

    /// <summary>The password of the client's key or of its PKCS #12 file.</summary>
    public string? ClientKeyPassword { get; set; }

    /// <summary>Asks the issuer whether the server's certificate was revoked. Costs a network request. Defaults to false.</summary>
    public bool CheckCertificateRevocation { get; set; }

    /// <summary>
    /// Ties the proof of the password to the server's certificate. Defaults to PGCHANNELBINDING, then to <see cref="PgChannelBinding.Prefer"/>.
    /// </summary>
    public PgChannelBinding ChannelBinding { get => ChannelBindingSet ?? PgChannelBinding.Prefer; set => ChannelBindingSet = value; }

    /// <summary>The authentication methods that are accepted. Defaults to PGREQUIREAUTH, then to all of them.</summary>
    public PgAuthentication RequireAuth { get; set; }

    /// <summary>Sends the password in clear text over an unencrypted network if the server requests it. Defaults to false.</summary>
    public bool AllowCleartextPassword { get; set; }

    /// <summary>The required role of the server. Defaults to PGTARGETSESSIONATTRS, then to <see cref="PgTargetSession.Any"/>.</summary>
    public PgTargetSession TargetSessionAttributes { get => TargetSessionSet ?? PgTargetSession.Any; set => TargetSessionSet = value; }

    /// <summary>Tries hosts, and the addresses of each, in random order. Defaults to PGLOADBALANCEHOSTS, then to false.</summary>
    public bool LoadBalanceHosts { get => LoadBalanceSet ?? false; set => LoadBalanceSet = value; }

    /// <summary>The name that <c>pg_stat_activity</c> shows. Defaults to PGAPPNAME.</summary>
    public string? ApplicationName { get; set; }

    /// <summary>The search path: schemas for unqualified names. Defaults to the server's setting.</summary>
    public string? SearchPath { get; set; }

    /// <summary>The session's time zone. Defaults to PGTZ, then to the server's setting.</summary>
    public string? TimeZone { get; set; }

    /// <summary>Command line options of the server, such as <c>-c geqo=off</c>. Defaults to PGOPTIONS.</summary>
    public string? Options { get; set; }

    /// <summary>Further run-time parameters that every session starts with.</summary>
    public IDictionary<string, string> RuntimeParameters { get; private set; } =
        new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// Whether ADO.NET connections join the ambient transaction (<c>TransactionScope</c>) in which they are opened. Sessions and commands of
    /// <see cref="PgDataSource"/> never do. Defaults to true.
    /// </summary>
    public bool Enlist { get; set; } = true;

    /// <summary>
    /// Whether the ADO.NET facade reads the database's enums, domains, composites and types of extensions when it opens the first connection.
    /// Otherwise columns of these types are text. Defaults to true; <c>Server Compatibility Mode=NoTypeLoading</c> turns it off.
    /// </summary>
    public bool LoadTypes { get; set; } = true;

    /// <summary>Whether a connection of ADO.NET shows its password in <c>ConnectionString</c> after it was opened. Defaults to false.</summary>
    public bool PersistSecurityInfo { get; set; }

    /// <summary>
    /// How long one host may take until the session is ready. Zero means no limit. Defaults to PGCONNECT_TIMEOUT, then to
    /// 15 seconds.
    /// </summary>
    public TimeSpan ConnectTimeout { get => ConnectTimeoutSet ?? TimeSpan.FromSeconds(15); set => ConnectTimeoutSet = value; }

    /// <summary>
    /// How long a command may take from when the server can begin with it. For ADO.NET, and for answers as a stream, it limits each wait for the
    /// server. Zero means no limit. Defaults to 30 seconds.
    /// </summary>
    public TimeSpan CommandTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long the server may take to answer a cancel request before the connection is closed. Zero closes it at once; in a connection string
    /// that is -1, and 0 is no limit, as with Npgsql. Defaults to 2 seconds.
    /// </summary>
    public TimeSpan CancelTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>Idle time before TCP sends a keep-alive probe. Zero: never. Defaults to 30 seconds.</summary>
    public TimeSpan KeepAlive { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Time between keep-alive probes. Defaults to 10 seconds.</summary>
    public TimeSpan KeepAliveInterval { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Unanswered keep-alive probes after which the connection is broken. Defaults to 3.</summary>
    public int KeepAliveCount { get; set; } = 3;

    /// <summary>
    /// How long sent bytes may stay unacknowledged before the connection is broken. Zero: the system's limit. Defaults to 30
    /// seconds.
    /// </summary>
    public TimeSpan TcpUserTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Whether a closed session or <c>DbConnection</c> leaves its connection to the next one. Defaults to true. False: each gets a connection
    /// of its own, which counts for the limits; the minimum is 0.
    /// </summary>
    /// <remarks>Commands of the data source itself use the shared connections all the same.</remarks>
    public bool Pooling { get; set; } = true;

    /// <summary>The number of connections that each reactor opens at the start and keeps. Defaults to 0.</summary>
    public int MinPerReactor { get; set; }

    /// <summary>
    /// The maximum number of connections per reactor, at least 1. Defaults to 8, or to <see cref="MaxConnections"/> if that is set.
    /// </summary>
    public int MaxPerReactor { get => MaxPerReactorSet ?? DefaultMaxPerReactor; set => MaxPerReactorSet = value; }

    /// <summary>The maximum number of connections of all reactors together. Defaults to null: no such limit.</summary>
    /// <remarks>
    /// A reactor may have all of them, and lends to callers on other reactors. Their commands then take a hop between threads.
    /// </remarks>
    public int? MaxConnections { get; set; }

    /// <summary>The minimum number of connections of all reactors together, spread evenly and rounded up. Defaults to 0.</summary>
    public int MinConnections { get; set; }

    /// <summary>Connections per reactor on which short commands of all callers are pipelined, at least 1. Defaults to 2.</summary>
    public int SharedPerReactor { get; set; } = 2;

    /// <summary>Commands in flight per connection, at least 1. Defaults to 64; use 1 behind a pooler that cannot pipeline.</summary>
    public int PipelineDepth { get; set; } = 64;

    /// <summary>
    /// The maximum number of commands and sessions per reactor that wait for a connection; one more fails at once. Defaults to 1,024, and to no
    /// limit for connections that are made from a connection string alone.
    /// </summary>
    public int QueueLimit { get => QueueLimitSet ?? 1024; set => QueueLimitSet = value; }

    /// <summary>
    /// How long a command or session may wait for a connection. Zero means no limit. Defaults to <see cref="ConnectTimeout"/>, 15 seconds.
    /// </summary>
    public TimeSpan QueueTimeout { get => QueueTimeoutSet ?? ConnectTimeout; set => QueueTimeoutSet = value; }

    /// <summary>A connection beyond the minimum is closed after this idle time. Zero: never. Defaults to 5 minutes.</summary>
    public TimeSpan IdleLifetime { get; set; } = TimeSpan.FromMinutes(5);

    /// <summary>
    /// A connection of this age is replaced when it is free, or when a new one can take its place; some earlier, at random. Zero: never.
    /// Defaults to 1 hour.
    /// </summary>
    public TimeSpan ConnectionLifetime { get; set; } = TimeSpan.FromHours(1);

    /// <summary>
    /// The minimum time between a reactor's attempts to connect while the server refuses; callers in between get the last error. A database that
    /// does not exist is tried again at once. Defaults to 125 milliseconds.
    /// </summary>
    public TimeSpan ReconnectDelay { get; set; } = TimeSpan.FromMilliseconds(125);

    /// <summary>Connections that one reactor opens at the same time, at least 1. Defaults to 2.</summary>
    public int MaxConnectingPerReactor { get; set; } = 2;

    /// <summary>The pooler between this process and the server. Defaults to <see cref="PgPooler.None"/>.</summary>
    public PgPooler Pooler { get; set; }

    /// <summary>
    /// Resets a session after its user: settings, role, locks, temporary tables, LISTEN, cursors, values of sequences. Defaults to true.
    /// False leaves them to the next user, also on the shared connections. <c>No Reset On Close</c> is the opposite.
    /// </summary>
    /// <remarks>
    /// A reset is sent if a command may have changed the session. It costs the server about 30 microseconds, and the next user does not wait for its
    /// answer. Statements stay prepared. Behind a pooler in transaction mode nothing is reset.
    /// </remarks>
    public bool ResetOnReturn { get; set; } = true;

    /// <summary>
    /// The maximum number of prepared statements per connection, with 8 MiB of text in all; the least recently used one is evicted. Zero: none.
    /// Defaults to 256.
    /// </summary>
    public int MaxPreparedPerConnection { get; set; } = 256;

    /// <summary>The longest row that is read, in bytes, from 64 KiB to 1 GiB. Defaults to 1 GiB, which is PostgreSQL's own limit.</summary>
    /// <remarks>
    /// A row takes its length in memory while it arrives and is read, one row at a time per connection. A longer row is skipped and its
    /// command fails with <see cref="PgResultTooLargeException"/>; the connection continues. COPY, and readers of the ADO.NET facade under
    /// <c>SequentialAccess</c>, take rows of any length in pieces; for them it limits a value that is read whole.
    /// </remarks>
    public int MaxMessageBytes { get; set; } = MessageScratch.ServerLimitBytes;

    /// <summary>The largest result that is buffered on a shared connection, in bytes, at least 64 KiB. Defaults to 1 MiB.</summary>
    public int MaxBufferedResultBytes { get; set; } = 1024 * 1024;

    /// <summary>
    /// Whether the exception of an exhausted pool names the ten oldest sessions and connections, and the log each that is collected without being
    /// disposed, with the call that opened it. Defaults to false, and to true for <c>AddIoxidePg</c> in the environment Development.
    /// </summary>
    /// <remarks>On, each opening looks at the stack, which takes tens of microseconds. Off, it costs nothing.</remarks>
    public bool TraceLeases { get => TraceLeasesSet ?? false; set => TraceLeasesSet = value; }

    /// <summary>Reads a connection string: a <c>postgresql://</c> URI, keywords of libpq, or keywords of Npgsql.</summary>
    /// <param name="connectionString">
    /// <c>postgresql://user@host:5433/db?sslmode=verify-full</c>, <c>host=a port=5433 dbname='x y'</c>, or
    /// <c>Host=a;Port=5433;Username=u;Database=d</c>. Options of Ioxide are accepted in each, such as <c>max_per_reactor=4</c>.
    /// </param>
    /// <exception cref="ArgumentException">The string is malformed, or has a keyword that is unknown or would have no effect.</exception>
    public static PgDataSourceOptions Parse(string connectionString)
    {
        ArgumentNullException.ThrowIfNull(connectionString);
        return ConnectionString.Parse(connectionString);
    }

    /// <summary>Maps a database enum, including <c>T?</c> and arrays. See <see cref="PgCodec.RegisterEnum{TEnum}"/>.</summary>
    /// <param name="label">Returns the label of a value. Defaults to its name in snake case.</param>
    /// <param name="typeName">The name of the type in the database, with or without its schema. Defaults to the enum's name in snake case.</param>
    /// <returns>These options.</returns>
    public PgDataSourceOptions MapEnum<TEnum>(Func<TEnum, string>? label = null, string? typeName = null)
        where TEnum : struct, Enum
    {
        var codec = new EnumCodec<TEnum>(label);
        PgCodec.RegisterValue(codec);
        MappedTypes = [.. MappedTypes, new Data.MappedType<TEnum>(codec, typeName)];
        return this;
    }

    /// <summary>
    /// Maps a database composite, including arrays. The parameters of the type's longest constructor are its fields, and each has a property of the
    /// same name: a positional record is such a type. Fields that the constructor does not take, and all where none has parameters, are properties
    /// that can be set.
    /// </summary>
    /// <param name="typeName">The name of the type in the database, with or without its schema. Defaults to the .NET type's in snake case.</param>
    /// <returns>These options.</returns>
    /// <exception cref="ArgumentException">The type has neither.</exception>
    /// <remarks>
    /// The ADO.NET facade finds the fields by name (<c>HouseNumber</c> is <c>house_number</c>). Elsewhere, and where a name is missing, the order of
    /// the parameters, or of the properties, decides. Uses reflection for each value; derive from <see cref="PgCompositeCodec{T}"/> if that is too
    /// slow.
    /// </remarks>
    public PgDataSourceOptions MapComposite<
        [DynamicallyAccessedMembers(
            DynamicallyAccessedMemberTypes.PublicConstructors | DynamicallyAccessedMemberTypes.PublicProperties)] T>(string? typeName = null)
    {
        var codec = new MappedCompositeCodec<T>();
        PgCodec.Register(codec);
        MappedTypes = [.. MappedTypes, new Data.MappedType<T>(codec, typeName)];
        return this;
    }

    /// <summary>Maps a type that is stored as JSON, including arrays: sent as jsonb, read from jsonb and json.</summary>
    /// <param name="typeInfo">From a <c>JsonSerializerContext</c>, such as <c>ShopJson.Default.Order</c>.</param>
    /// <returns>These options.</returns>
    public PgDataSourceOptions MapJson<T>(JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        PgCodec.Register(new JsonObjectCodec<T>(typeInfo));
        return this;
    }

    /// <summary>Returns hosts, database, role and encryption, and never a secret.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"Hosts={string.Join(',', Hosts)};Database={Database};Username={Username};SSL Mode={SslMode?.ToString() ?? "default"}");

    /// <summary>Returns a complete copy: environment, files and defaults are applied, and everything is checked.</summary>
    /// <exception cref="ArgumentException">An option is out of range, or two contradict each other.</exception>
    internal PgDataSourceOptions Resolve(SettingsEnvironment? environment = null)
    {
        PgDataSourceOptions copy = Clone();
        OptionsResolver.Fill(copy, this, environment ?? SettingsEnvironment.Process);
        OptionsValidator.Check(copy);
        return copy;
    }

    internal PgDataSourceOptions Clone()
    {
        var copy = (PgDataSourceOptions)MemberwiseClone();
        copy.Hosts = [.. Hosts];
        copy.RuntimeParameters = new Dictionary<string, string>(RuntimeParameters, StringComparer.OrdinalIgnoreCase);
        return copy;
    }

    /// <summary>
    /// The types that have a name in the database, in the order of their mapping: a later one of the same name replaces an earlier one.
    /// </summary>
    internal Data.MappedType[] MappedTypes { get; private set; } = [];

    /// <summary>Whether a root is known, so that certificates can be checked by default.</summary>
    [MemberNotNullWhen(true, nameof(RootCertificate))]
    internal bool HasRoot => RootCertificate is not null;

    // Null if not set: the environment may set it, or what it defaults to.
    internal PgSslNegotiation? SslNegotiationSet { get; set; }
    internal PgChannelBinding? ChannelBindingSet { get; set; }
    internal PgTargetSession? TargetSessionSet { get; set; }
    internal bool? LoadBalanceSet { get; set; }
    internal TimeSpan? ConnectTimeoutSet { get; set; }
    internal bool? TraceLeasesSet { get; set; }
    internal int? MaxPerReactorSet { get; set; }
    internal int? QueueLimitSet { get; set; }
    internal TimeSpan? QueueTimeoutSet { get; set; }

    /// <summary>The setting that limits a wait, as keyword and as option.</summary>
    internal string QueueTimeoutName => QueueTimeoutSet is null ? $"Timeout ({nameof(ConnectTimeout)})" : $"Queue Timeout ({nameof(QueueTimeout)})";

    /// <summary>The maximum of one reactor, which may have the whole total.</summary>
    internal int MaxPerReactorOrTotal
        => MaxConnections is { } total ? Math.Min(MaxPerReactorSet ?? total, total) : MaxPerReactor;

    /// <summary>The minimum of one reactor; never above its maximum.</summary>
    internal int MinPerReactorOf(int reactorCount)
    {
        int share = (MinConnections + reactorCount - 1) / Math.Max(1, reactorCount);
        return Pooling ? Math.Min(Math.Max(MinPerReactor, share), MaxPerReactorOrTotal) : 0;
    }
}
