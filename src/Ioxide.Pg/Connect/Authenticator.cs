using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Answers the server's authentication requests, within the limits of the options.</summary>
/// <remarks>
/// The last request decides at AuthenticationOk: a server that skips the proof, or does not prove its own identity, is refused if the
/// options require either. Source: PostgreSQL manual, 55.2.1 and 55.3 SASL Authentication.
/// </remarks>
internal sealed class Authenticator(ConnectContext context, ServerEndpoint server, StartedSession session)
{
    private readonly PgDataSourceOptions _options = context.Options;
    private PgAuthentication _used = PgAuthentication.None;
    private ScramClient? _scram;
    private bool _isBound;
    private byte[]? _password;

    /// <summary>The answer that is expected from the server.</summary>
    internal string During { get; private set; } = "the session was starting";

    /// <summary>A possible reason for a refusal, or null.</summary>
    internal string? Hint { get; private set; }

    /// <summary>Handles one request; true once the server is satisfied. Answers are written but not flushed.</summary>
    internal async ValueTask<bool> AnswerAsync(byte[] body, CancellationToken cancellationToken)
    {
        int request = new WireReader(body).ReadInt32();
        switch (request)
        {
            case AuthenticationRequest.Ok:
                CheckProof();
                return true;
            case AuthenticationRequest.CleartextPassword:
                await AnswerCleartextAsync(cancellationToken).ConfigureAwait(true);
                break;
            case AuthenticationRequest.Md5Password:
                await AnswerMd5Async(body, cancellationToken).ConfigureAwait(true);
                break;
            case AuthenticationRequest.Sasl:
                await BeginSaslAsync(body, cancellationToken).ConfigureAwait(true);
                break;
            case AuthenticationRequest.SaslContinue:
                await ContinueSaslAsync(body, cancellationToken).ConfigureAwait(true);
                break;
            case AuthenticationRequest.SaslFinal:
                Scram().Verify(body.AsSpan(sizeof(int)));
                During = "the server was accepting the password";
                break;
            default:
                throw new PgAuthenticationException(
                    $"{server} asks for {AuthenticationRequest.NameOf(request)}, which is not supported. Use scram-sha-256 or cert in " +
                        "pg_hba.conf.");
        }

        return false;
    }

    private async ValueTask AnswerCleartextAsync(CancellationToken cancellationToken)
    {
        Use(PgAuthentication.Password, "password");
        if (session.Tls is null && !server.IsUnixSocket && !_options.AllowCleartextPassword)
        {
            throw new PgAuthenticationException(
                $"{server} asks for the password in clear text over a connection without encryption. Use TLS, or scram-sha-256 in " +
                    "pg_hba.conf; " +
                $"{nameof(PgDataSourceOptions.AllowCleartextPassword)} allows it.");
        }

        string password = await FindPasswordAsync(cancellationToken).ConfigureAwait(true);
        byte[] bytes = WireText.Encoding.GetBytes(password);
        StartupMessages.WritePassword(session.Output, bytes);
        CryptographicOperations.ZeroMemory(bytes);
        During = "the server was checking the password";
    }

    private async ValueTask AnswerMd5Async(byte[] body, CancellationToken cancellationToken)
    {
        Use(PgAuthentication.Md5, "md5");
        string password = await FindPasswordAsync(cancellationToken).ConfigureAwait(true);
        byte[] bytes = WireText.Encoding.GetBytes(password);
        byte[] answer = Md5Password.Answer(_options.Username ?? "", bytes, Md5Salt(body));
        StartupMessages.WritePassword(session.Output, answer);
        CryptographicOperations.ZeroMemory(bytes);
        During = "the server was checking the password";
    }

    private static ReadOnlySpan<byte> Md5Salt(byte[] body)
    {
        var reader = new WireReader(body);
        reader.ReadInt32();
        return reader.Take(4);
    }

    private async ValueTask BeginSaslAsync(byte[] body, CancellationToken cancellationToken)
    {
        if (_scram is not null)
        {
            throw new PgProtocolException($"{server} began a second SCRAM exchange.");
        }

        List<string> offered = ReadMechanisms(body);
        if (offered.Contains(OAuthBearer.Mechanism))
        {
            await AnswerByTokenAsync(cancellationToken).ConfigureAwait(true);
            return;
        }

        byte[]? certificateHash = session.Tls?.ChannelBinding;
        bool canBind = certificateHash is not null && _options.ChannelBinding != PgChannelBinding.Disable;
        _isBound = canBind && offered.Contains(ScramClient.Plus);
        if (!_isBound && !offered.Contains(ScramClient.Plain))
        {
            throw new PgAuthenticationException(
                $"{server} offers none of the supported SASL mechanisms; it offers {string.Join(", ", offered)}. Use scram-sha-256 in " +
                    "pg_hba.conf.");
        }

        Use(PgAuthentication.ScramSha256, _isBound ? "scram-sha-256-plus" : "scram-sha-256");
        string password = await FindPasswordAsync(cancellationToken).ConfigureAwait(true);
        _password = WireText.Encoding.GetBytes(SaslPrep.Prepare(password));

        // "y" says that only the server lacks it; a server that has it then knows that an attacker removed it from the list.
        string header = _isBound ? "p=tls-server-end-point,," : canBind ? "y,," : "n,,";
        _scram = new ScramClient(header, _isBound ? certificateHash! : []); // Bound: the hash exists.
        StartupMessages.WriteSaslInitial(session.Output, _isBound ? ScramClient.Plus : ScramClient.Plain, _scram.First());
        During = "the server was answering the first SCRAM message";
    }

    /// <summary>A token serves whoever receives it: it is sent only to the server whose certificate names the host.</summary>
    private async ValueTask AnswerByTokenAsync(CancellationToken cancellationToken)
    {
        Use(PgAuthentication.OAuth, "oauth");
        if (_options.TokenProvider is not { } provider)
        {
            throw new PgAuthenticationException($"{server} asks for a bearer token. Set {nameof(PgDataSourceOptions.TokenProvider)}.");
        }

        if (session.Tls is null || server.SslModeOf(_options) != PgSslMode.VerifyFull)
        {
            throw new PgAuthenticationException(
                $"{server} asks for a bearer token, which is sent only over TLS to a server whose certificate was verified. Set the SSL mode to "
                    + "verify-full.");
        }

        string token = await AskAsync(provider, cancellationToken).ConfigureAwait(true);
        byte[] first = OAuthBearer.First(token);
        StartupMessages.WriteSaslInitial(session.Output, OAuthBearer.Mechanism, first);
        CryptographicOperations.ZeroMemory(first);
        During = "the server was checking the token";
    }

    private async ValueTask ContinueSaslAsync(byte[] body, CancellationToken cancellationToken)
    {
        if (_used == PgAuthentication.OAuth)
        {
            Hint = OAuthBearer.RefusalOf(body.AsSpan(sizeof(int)));
            StartupMessages.WriteSaslResponse(session.Output, OAuthBearer.Abandon);
            return;
        }

        ScramClient scram = Scram();
        if (_password is not { } password)
        {
            throw new PgProtocolException($"{server} sent a second SCRAM challenge.");
        }

        scram.ReadChallenge(body.AsSpan(sizeof(int)));
        Task<ScramKeys> derived = context.ScramKeys.GetAsync(_options.Username ?? "", password, scram.Salt, scram.Iterations);
        CryptographicOperations.ZeroMemory(password);
        _password = null;
        ScramKeys keys = await derived.WaitAsync(cancellationToken).ConfigureAwait(true);
        StartupMessages.WriteSaslResponse(session.Output, scram.Final(keys));
        During = "the server was checking the password";
    }

    private static List<string> ReadMechanisms(byte[] body)
    {
        var reader = new WireReader(body);
        reader.ReadInt32();
        List<string> mechanisms = [];
        for (string name = reader.ReadString(); name.Length > 0; name = reader.ReadString())
        {
            mechanisms.Add(name);
        }

        return mechanisms;
    }

    private ScramClient Scram() => _scram ?? throw new PgProtocolException($"{server} went on with a SCRAM exchange that was not begun.");

    private void Use(PgAuthentication way, string name)
    {
        if (_used != PgAuthentication.None)
        {
            throw new PgProtocolException($"{server} asked for a second proof.");
        }

        CheckAllowed(way, name);
        CheckBinding(_isBound);
        _used = way;
        session.Authentication = name;
    }

    private void CheckAllowed(PgAuthentication way, string name)
    {
        if (_options.RequireAuth != PgAuthentication.Default && !_options.RequireAuth.HasFlag(way))
        {
            throw new PgAuthenticationException(
                $"{server} asks for {name}, and {nameof(PgDataSourceOptions.RequireAuth)} allows {_options.RequireAuth} only.");
        }
    }

    private void CheckBinding(bool isBound)
    {
        if (!isBound && _options.ChannelBinding == PgChannelBinding.Require)
        {
            throw new PgAuthenticationException(
                $"Channel binding is required, and {server} cannot be signed in to with it. It needs TLS and scram-sha-256 in " +
                    "pg_hba.conf.");
        }
    }

    private void CheckProof()
    {
        if (_scram is { IsVerified: false })
        {
            throw new PgAuthenticationException(
                $"{server} accepted the password without proving that it knows it. It may be an impostor; the connection was closed.");
        }

        if (_used == PgAuthentication.None)
        {
            CheckAllowed(PgAuthentication.None, "no proof");
            CheckBinding(isBound: false);
        }
    }

    private async ValueTask<string> FindPasswordAsync(CancellationToken cancellationToken)
    {
        if (_options.PasswordProvider is { } provider)
        {
            return await AskAsync(provider, cancellationToken).ConfigureAwait(true);
        }

        if (_options.Password is { } password)
        {
            return password;
        }

        if (_options.PassFile is { } path)
        {
            string host = OptionsResolver.NameForPasswordFile(server.Host);
            int port = server.Host.Port == 0 ? PgDataSourceOptions.DefaultPort : server.Host.Port;
            (string? found, string? hint) = await ConnectThread.RunAsync(() => FromFile(path, host, port), cancellationToken).ConfigureAwait(true);
            Hint = hint;
            if (found is not null)
            {
                Hint = "The password was taken from the password file.";
                return found;
            }
        }

        throw new PgAuthenticationException(
            $"{server} asks for a password and none is known. Set {nameof(PgDataSourceOptions.Password)}, PGPASSWORD or a line in the " +
                "password file." +
            (Hint is null ? "" : $" {Hint}"));
    }

    /// <summary>The provider is application code, which does not run on a blocked reactor.</summary>
    [ApplicationSide]
    private static ValueTask<string> AskAsync(
        [ApplicationSide] Func<CancellationToken, ValueTask<string>> provider, CancellationToken cancellationToken)
    {
        if (Reactor.Current is { IsBlocked: true })
        {
            return new ValueTask<string>(Task.Run(() => provider(cancellationToken).AsTask(), cancellationToken));
        }

        using ContextScope scope = Reactor.EnterApplicationHere();
        return provider(cancellationToken);
    }

    private (string? Password, string? Hint) FromFile(string path, string host, int port)
    {
        string? password = PasswordFile.Find(
            context.Environment,
            path,
            host,
            port.ToString(CultureInfo.InvariantCulture),
            _options.Database ?? "",
            _options.Username ?? "",
            out string? hint);
        return (password, hint);
    }
}

/// <summary>The first four bytes of an authentication request.</summary>
internal static class AuthenticationRequest
{
    internal const int Ok = 0;
    internal const int CleartextPassword = 3;
    internal const int Md5Password = 5;
    internal const int Sasl = 10;
    internal const int SaslContinue = 11;
    internal const int SaslFinal = 12;

    internal static string NameOf(int request) => request switch
    {
        2 => "Kerberos V5",
        4 => "crypt",
        6 => "SCM credentials",
        7 or 8 => "GSSAPI",
        9 => "SSPI",
        _ => string.Create(CultureInfo.InvariantCulture, $"the unknown authentication {request}"),
    };
}

/// <summary>The answer to an MD5 password request. Source: PostgreSQL manual, 55.2.1, AuthenticationMD5Password.</summary>
internal static class Md5Password
{
    private const int HexBytes = 2 * 16;

    /// <summary><c>"md5" + hex(md5(hex(md5(password + user)) + salt))</c>, ASCII.</summary>
    internal static byte[] Answer(string user, ReadOnlySpan<byte> password, ReadOnlySpan<byte> salt)
    {
        byte[] userBytes = WireText.Encoding.GetBytes(user);
        byte[] first = [.. password, .. userBytes];
        byte[] second = new byte[HexBytes + salt.Length];
        HexOfHash(first, second);
        salt.CopyTo(second.AsSpan(HexBytes));
        byte[] answer = new byte[3 + HexBytes];
        "md5"u8.CopyTo(answer);
        HexOfHash(second, answer.AsSpan(3));
        CryptographicOperations.ZeroMemory(first);
        CryptographicOperations.ZeroMemory(second);
        return answer;
    }

    private static void HexOfHash(ReadOnlySpan<byte> data, Span<byte> destination)
    {
#pragma warning disable CA5351 // The protocol's choice; RequireAuth can refuse it.
        Span<byte> hash = stackalloc byte[MD5.HashSizeInBytes];
        MD5.HashData(data, hash);
#pragma warning restore CA5351
        Convert.TryToHexStringLower(hash, destination, out _);
    }
}
