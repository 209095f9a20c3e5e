using System.Runtime.CompilerServices;

namespace Ioxide.Tls.Tests;

/// <summary>Keys and OpenSSL's contexts lie outside the collector's memory: a session frees them, and so does the collector where nobody ends it.</summary>
public class NativeMemoryTests
{
    [Fact]
    public async Task ASessionThatIsDisposedFreesItsKeysAtOnce()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        Collect();
        (int contexts, int secrets) = (CipherContext.LiveCount, SecretMemory.LiveCount);
        await using (SslClient client = await SslClient.ConnectAsync(echo.EndPoint))
        {
            Payload.AssertSame(Payload.Of(10), await client.EchoAsync(Payload.Of(10)));
            Assert.Equal(contexts + 2, CipherContext.LiveCount);
            await client.FinishAsync();
        }

        Assert.Null((await echo.NextEndAsync()).Error);
        Assert.True(CipherContext.LiveCount <= contexts, "A context of the session is left.");
        Assert.True(SecretMemory.LiveCount <= secrets, "A secret of the session is left.");
    }

    [Fact]
    public async Task WhatNobodyDisposesOfIsFreedToo()
    {
        const int Count = 100;
        Collect();
        (int contexts, int secrets) = (CipherContext.LiveCount, SecretMemory.LiveCount);
        Abandon(Count);
        await Waits.Eventually(
            () =>
            {
                Collect();
                return CipherContext.LiveCount <= contexts && SecretMemory.LiveCount <= secrets;
            },
            30.Seconds());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Abandon(int count)
    {
        int before = CipherContext.LiveCount;
        RecordSuite suite = RecordSuite.Of(RecordSuite.Supported[0]);
        RecordSealer[] sealers = new RecordSealer[count];
        for (int index = 0; index < count; index++)
        {
            sealers[index] = new RecordSealer(RecordKeys.FromSecret(suite, Payload.Of(48)), 0);
        }

        // The control: as long as somebody holds them they are there.
        Collect();
        Assert.True(CipherContext.LiveCount >= before + count);
        GC.KeepAlive(sealers);
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }
}
