using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>MD5, SCRAM and SASLprep against published vectors, and SCRAM against servers that lie.</summary>
public class ProofTests
{
    private const string Nonce = "rOprNGfwEbeRWgbNEkqO";
    private const string ServerFirst = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

    /// <summary>By Python's hashlib, as the manual has it: 'md5' || md5(md5('secret' || 'alice') || salt 01 02 03 04).</summary>
    [Fact]
    public void AnswersMd5() => Assert.Equal("md598a0412b9c31436fc53776e863350083"u8, Md5Password.Answer("alice", "secret"u8, [1, 2, 3, 4]));

    /// <summary>RFC 7677, section 3.</summary>
    [Fact]
    public void SpeaksScramAsTheRfcShows()
    {
        var scram = new ScramClient("n,,", [], "user", Nonce);
        Assert.Equal("n,,n=user,r=" + Nonce, Encoding.ASCII.GetString(scram.First()));
        scram.ReadChallenge(Encoding.ASCII.GetBytes(ServerFirst));
        byte[] final = scram.Final(ScramKeys.Derive("pencil"u8, scram.Salt, scram.Iterations));
        Assert.Equal("c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=", Encoding.ASCII.GetString(final));
        Assert.False(scram.IsVerified);
        scram.Verify("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="u8);
        Assert.True(scram.IsVerified);
    }

    [Theory]
    [InlineData("v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=", "impostor")]
    [InlineData("v=", "impostor")]
    [InlineData("v=6rri", "impostor")]
    [InlineData("v=!!!", "impostor")]
    [InlineData("e=other-error", "other-error")]
    [InlineData("x=1", "\"v\" is missing")]
    [InlineData("", "\"v\" is missing")]
    public void RefusesAWrongServerSignature(string message, string expected)
    {
        var scram = new ScramClient("n,,", [], "user", Nonce);
        scram.ReadChallenge(Encoding.ASCII.GetBytes(ServerFirst));
        scram.Final(ScramKeys.Derive("pencil"u8, scram.Salt, scram.Iterations));
        PgAuthenticationException error = Assert.Throws<PgAuthenticationException>(() => scram.Verify(Encoding.ASCII.GetBytes(message)));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
        Assert.False(scram.IsVerified);
    }

    [Theory]
    [InlineData("r=rOprNGfwEbeRWgbNEkqO,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", "nonce")]
    [InlineData("r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", "nonce")]
    [InlineData("r=rOprNGfwEbeRWgbNEkqOx,s=,i=4096", "salt")]
    [InlineData("r=rOprNGfwEbeRWgbNEkqOx,s=***,i=4096", "salt")]
    [InlineData("r=rOprNGfwEbeRWgbNEkqOx,s=W22Z,i=4095", "iteration")]
    [InlineData("r=rOprNGfwEbeRWgbNEkqOx,s=W22Z,i=5000001", "iteration")]
    [InlineData("r=rOprNGfwEbeRWgbNEkqOx,s=W22Z,i=2147483648", "iteration")]
    [InlineData("r=rOprNGfwEbeRWgbNEkqOx,s=W22Z,i=-1", "iteration")]
    [InlineData("r=rOprNGfwEbeRWgbNEkqOx,s=W22Z", "\"i\"")]
    [InlineData("m=ext,r=rOprNGfwEbeRWgbNEkqOx,s=W22Z,i=4096", "\"r\"")]
    [InlineData("r=rOprNGfwEbeRWgbNEkqO\u0001,s=W22Z,i=4096", "printable")]
    [InlineData("", "\"r\"")]
    public void RefusesAChallengeThatIsOutOfBounds(string message, string expected)
    {
        var scram = new ScramClient("n,,", [], "user", Nonce);
        Assert.Contains(
            expected, Assert.Throws<PgAuthenticationException>(() => scram.ReadChallenge(Encoding.ASCII.GetBytes(message))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task DerivesKeysOnceForEachPassword()
    {
        var cache = new ScramKeyCache();
        byte[] salt = [1, 2, 3];
        ScramKeys[] same = await Task.WhenAll(Enumerable.Range(0, 16).Select(_ => cache.GetAsync("u", "p"u8.ToArray(), salt, 4096)));
        Assert.Equal(1, cache.DerivedCount);
        Assert.All(same, keys => Assert.Same(same[0], keys));
        await cache.GetAsync("u", "q"u8.ToArray(), salt, 4096);
        await cache.GetAsync("u", "p"u8.ToArray(), salt, 4097);
        await cache.GetAsync("v", "p"u8.ToArray(), salt, 4096);
        Assert.Equal(4, cache.DerivedCount);
        for (int i = 0; i < ScramKeyCache.MaxEntries + 1; i++)
        {
            await cache.GetAsync("u", "p"u8.ToArray(), [(byte)i], 1);
        }

        await cache.GetAsync("u", "p"u8.ToArray(), salt, 4096);
        Assert.Equal(4 + ScramKeyCache.MaxEntries + 1 + 1, cache.DerivedCount);
    }

    /// <summary>RFC 4013, section 3, and PostgreSQL's exceptions: ASCII and what cannot be prepared stays as it is.</summary>
    [Theory]
    [InlineData("I\u00adX", "IX")]
    [InlineData("user", "user")]
    [InlineData("USER", "USER")]
    [InlineData("\u00aa", "a")]
    [InlineData("\u2168", "IX")]
    [InlineData("\u0007", "\u0007")]
    [InlineData("\u0007é", "\u0007é")]
    [InlineData("\u0627\u0031", "\u0627\u0031")]
    [InlineData("a\u00a0b\u3000c", "a b c")]
    [InlineData("a\u1680b", "a b")]
    [InlineData("a\u200bb", "a b")]
    [InlineData("e\u0301", "é")]
    [InlineData("\ufb01\uff21", "fiA")]
    [InlineData("q\u0323\u0307", "q\u0323\u0307")]
    [InlineData("q\u0307\u0323", "q\u0323\u0307")]
    [InlineData("\u1112\u1161\u11ab", "한")]
    [InlineData("\u0627\u0628", "\u0627\u0628")]
    [InlineData("\u0627a", "\u0627a")]
    [InlineData("\u00ad", "\u00ad")]
    [InlineData("\U0001F600", "\U0001F600")]
    [InlineData("\ud800", "\ud800")]
    [InlineData("\u0344", "\u0308\u0301")]
    [InlineData("\u1e9b\u0323", "\u1e69")]
    public void PreparesPasswords(string password, string expected) => Assert.Equal(expected, SaslPrep.Prepare(password));

    [Theory]
    [InlineData("08006", true)]
    [InlineData("08P01", false)]
    [InlineData("40001", true)]
    [InlineData("40P01", true)]
    [InlineData("40003", false)]
    [InlineData("53300", true)]
    [InlineData("55P03", true)]
    [InlineData("57P01", true)]
    [InlineData("57P03", true)]
    [InlineData("57014", false)]
    [InlineData("58030", true)]
    [InlineData("58P01", false)]
    [InlineData("23505", false)]
    [InlineData("", false)]
    [InlineData(null, false)]
    public void KnowsWhatMayPass(string? sqlState, bool expected) => Assert.Equal(expected, PgSqlState.IsTransient(sqlState));
}
