using System.Buffers.Text;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Ioxide.Pg;

/// <summary>The client's side of SCRAM-SHA-256 and SCRAM-SHA-256-PLUS.</summary>
/// <remarks>
/// Source: RFC 5802, RFC 7677. The messages in order: <see cref="First"/>, <see cref="ReadChallenge"/>, <see cref="Final"/>,
/// <see cref="Verify"/>. The server's input is bounded, so that a hostile server cannot keep a processor busy.
/// </remarks>
internal sealed class ScramClient
{
    internal const string Plain = "SCRAM-SHA-256";
    internal const string Plus = "SCRAM-SHA-256-PLUS";
    internal const int MinIterations = 4096;
    internal const int MaxIterations = 5_000_000;

    private const int NonceBytes = 18;
    private const int MaxNonceLength = 1024;
    private const int MaxSaltBytes = 1024;

    private readonly byte[] _channelBinding;
    private readonly string _gs2Header;
    private readonly string _nonce;
    private readonly string _firstBare;
    private string _serverFirst = "";
    private string _fullNonce = "";
    private byte[] _serverSignature = [];

    /// <param name="gs2Header"><c>n,,</c> without channel binding, <c>y,,</c> where only the server lacks it,
    /// <c>p=tls-server-end-point,,</c> with it.</param>
    /// <param name="channelBinding">The hash of the server's certificate, or empty.</param>
    /// <param name="user">Empty: the server takes the role of the start-up message.</param>
    /// <param name="nonce">Null means a random one.</param>
    internal ScramClient(string gs2Header, byte[] channelBinding, string user = "", string? nonce = null)
    {
        _gs2Header = gs2Header;
        _channelBinding = channelBinding;
        _nonce = nonce ?? Convert.ToBase64String(RandomNumberGenerator.GetBytes(NonceBytes));
        _firstBare = $"n={user},r={_nonce}";
    }

    /// <summary>Whether the server has proved that it knows the password.</summary>
    internal bool IsVerified { get; private set; }

    internal byte[] Salt { get; private set; } = [];

    internal int Iterations { get; private set; }

    internal byte[] First() => Encoding.ASCII.GetBytes(_gs2Header + _firstBare);

    /// <summary>Reads the server's first message: <c>r=nonce,s=salt,i=iterations[,extensions]</c>.</summary>
    internal void ReadChallenge(ReadOnlySpan<byte> message)
    {
        _serverFirst = Text(message);
        string[] attributes = _serverFirst.Split(',');
        string nonce = Attribute(attributes, 0, 'r');
        if (!nonce.StartsWith(_nonce, StringComparison.Ordinal) || nonce.Length == _nonce.Length || nonce.Length > MaxNonceLength)
        {
            throw Refuse("its nonce does not continue the client's");
        }

        _fullNonce = nonce;
        string salt = Attribute(attributes, 1, 's');
        if (salt.Length == 0 || !Base64.IsValid(salt, out int saltBytes) || saltBytes is 0 or > MaxSaltBytes)
        {
            throw Refuse("its salt is not base64 of 1 to 1,024 bytes");
        }

        Salt = Convert.FromBase64String(salt);
        if (!int.TryParse(Attribute(attributes, 2, 'i'), NumberStyles.None, CultureInfo.InvariantCulture, out int iterations)
            || iterations is < MinIterations or > MaxIterations)
        {
            throw Refuse(
                $"its iteration count is not from {MinIterations} to {MaxIterations}; set scram_iterations on the server and the " +
                    "password anew");
        }

        Iterations = iterations;
    }

    /// <summary>The proof: <c>c=channel binding,r=nonce,p=proof</c>.</summary>
    internal byte[] Final(ScramKeys keys)
    {
        byte[] binding = [.. Encoding.ASCII.GetBytes(_gs2Header), .. _channelBinding];
        string withoutProof = $"c={Convert.ToBase64String(binding)},r={_fullNonce}";
        byte[] authMessage = Encoding.ASCII.GetBytes($"{_firstBare},{_serverFirst},{withoutProof}");
        byte[] proof = HMACSHA256.HashData(SHA256.HashData(keys.ClientKey), authMessage);
        for (int i = 0; i < proof.Length; i++)
        {
            proof[i] ^= keys.ClientKey[i];
        }

        _serverSignature = HMACSHA256.HashData(keys.ServerKey, authMessage);
        return Encoding.ASCII.GetBytes($"{withoutProof},p={Convert.ToBase64String(proof)}");
    }

    /// <summary>Reads the server's last message, <c>v=signature</c>, and checks that the server knows the password too.</summary>
    internal void Verify(ReadOnlySpan<byte> message)
    {
        string text = Text(message);
        if (text.StartsWith("e=", StringComparison.Ordinal))
        {
            throw new PgAuthenticationException($"The server refused the SCRAM exchange: {text[2..]}.");
        }

        Span<byte> signature = stackalloc byte[SHA256.HashSizeInBytes];
        string encoded = Attribute(text.Split(','), 0, 'v');
        if (!Convert.TryFromBase64String(encoded, signature, out int written) || written != signature.Length
            || _serverSignature.Length == 0 || !CryptographicOperations.FixedTimeEquals(signature, _serverSignature))
        {
            throw new PgAuthenticationException(
                "The server's SCRAM signature is wrong: it does not know the password, and may be an impostor. The connection was closed.");
        }

        IsVerified = true;
    }

    private static string Attribute(string[] attributes, int index, char name)
        => index < attributes.Length && attributes[index] is [char found, '=', ..] && found == name
            ? attributes[index][2..]
            : throw Refuse($"the attribute \"{name}\" is missing in it");

    private static string Text(ReadOnlySpan<byte> message)
    {
        foreach (byte b in message)
        {
            if (b is < 0x20 or > 0x7e)
            {
                throw Refuse("it contains a byte that is not printable ASCII");
            }
        }

        return Encoding.ASCII.GetString(message);
    }

    private static PgAuthenticationException Refuse(string why) => new($"The server's SCRAM message was refused: {why}.");
}
