using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>What a scripted server does wrong.</summary>
public enum ScramLie
{
    None,
    WrongSignature,
    NoSignature,
    OtherNonce,
    HugeCount,
    SmallCount,
}

/// <summary>The server's side of SCRAM-SHA-256, written apart from the client's.</summary>
internal sealed class ScramServer(string password, byte[]? certificateHash = null)
{
    private readonly byte[] _salt = RandomNumberGenerator.GetBytes(16);

    internal ScramLie Lie { get; init; }

    /// <summary>Starts a session; returns the GS2 header that the client sent.</summary>
    internal async Task<string> RunAsync(ScriptedPeer peer, string[] mechanisms)
    {
        await peer.ReadUntypedAsync();
        await peer.SendAsync(ScriptedPeer.Authentication(10, [.. mechanisms.SelectMany(ScriptedPeer.Text), 0]));
        string initial = Encoding.ASCII.GetString(await peer.ReadPasswordAsync());
        string first = initial[(initial.IndexOf('\0', StringComparison.Ordinal) + 5)..];
        int bare = first.IndexOf("n=", first.IndexOf(",,", StringComparison.Ordinal), StringComparison.Ordinal);
        string header = first[..bare];
        string clientNonce = first[(first.IndexOf("r=", StringComparison.Ordinal) + 2)..];
        int iterations = Lie switch { ScramLie.HugeCount => int.MaxValue, ScramLie.SmallCount => 1, _ => 4096 };
        string nonce = (Lie == ScramLie.OtherNonce ? "x" : "") + clientNonce + "server";
        string serverFirst = string.Create(CultureInfo.InvariantCulture, $"r={nonce},s={Convert.ToBase64String(_salt)},i={iterations}");
        await peer.SendAsync(ScriptedPeer.Authentication(11, Encoding.ASCII.GetBytes(serverFirst)));

        string final = Encoding.ASCII.GetString(await peer.ReadPasswordAsync());
        int proofAt = final.IndexOf(",p=", StringComparison.Ordinal);
        Assert.Equal($"c={Convert.ToBase64String([.. Encoding.ASCII.GetBytes(header), .. header[0] == 'p' ? certificateHash ?? [] : []])},r={nonce}", final[..proofAt]);
        byte[] authMessage = Encoding.ASCII.GetBytes($"{first[bare..]},{serverFirst},{final[..proofAt]}");
        byte[] salted = Rfc2898DeriveBytes.Pbkdf2(Encoding.UTF8.GetBytes(password), _salt, 4096, HashAlgorithmName.SHA256, 32);
        byte[] clientKey = HMACSHA256.HashData(salted, "Client Key"u8);
        byte[] mask = HMACSHA256.HashData(SHA256.HashData(clientKey), authMessage);
        Assert.Equal(Convert.ToBase64String([.. clientKey.Zip(mask, static (a, b) => (byte)(a ^ b))]), final[(proofAt + 3)..]);

        byte[] signature = HMACSHA256.HashData(HMACSHA256.HashData(salted, "Server Key"u8), authMessage);
        signature[0] ^= (byte)(Lie == ScramLie.WrongSignature ? 1 : 0);
        byte[] verifier = Encoding.ASCII.GetBytes("v=" + Convert.ToBase64String(signature));
        await peer.SendAsync([
            Lie == ScramLie.NoSignature ? [] : ScriptedPeer.Authentication(12, verifier), ScriptedPeer.Authentication(0), .. ScriptedPeer.Welcome(),
        ]);
        return header;
    }
}
