using System.Buffers;
using System.Net.Security;

namespace Ioxide.Tls.Tests;

/// <summary>Keys and records against the published trace of RFC 8448, section 3, and against each other.</summary>
public class RecordKeysTests
{
    private const string ClientSecret = "9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5";
    private const string ServerSecret = "a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643";

    // The 50 bytes 00 to 31 as the client of the trace sent them.
    private const string ClientRecord =
        "1703030043a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b46b395bd54a9a20441e2b62974e1f5a6292a2"
        + "977014bd1e3deae63aeebb21694915e4";

    private static readonly RecordSuite s_suite = RecordSuite.Of(TlsCipherSuite.TLS_AES_128_GCM_SHA256);

    [Theory]
    [InlineData(ClientSecret, "17422dda596ed5d9acd890e3c63f5051", "5b78923dee08579033e523d9")]
    [InlineData(ServerSecret, "9f02283b6c9c07efc26bb9f2ac92e356", "cf782b88dd83549aadf1e984")]
    public void KeyAndIvComeFromTheSecretAsPublished(string secret, string key, string iv)
    {
        using RecordKeys keys = RecordKeys.FromSecret(s_suite, Convert.FromHexString(secret));
        Assert.Equal(key, Convert.ToHexStringLower(keys.Key));
        Assert.Equal(iv, Convert.ToHexStringLower(keys.Iv));
    }

    [Fact]
    public void ARecordIsSealedAsPublished()
    {
        using RecordSealer sealer = new(RecordKeys.FromSecret(s_suite, Convert.FromHexString(ClientSecret)), 0);
        byte[] record = new byte[50 + sealer.OverheadBytes];
        int length = sealer.Seal(RecordType.ApplicationData, [.. Enumerable.Range(0, 50).Select(value => (byte)value)], record);
        Assert.Equal(ClientRecord, Convert.ToHexStringLower(record.AsSpan(0, length)));
    }

    [Fact]
    public void ThePublishedRecordIsOpened()
    {
        using RecordOpener opener = new(RecordKeys.FromSecret(s_suite, Convert.FromHexString(ClientSecret)), 0);
        byte[] record = Convert.FromHexString(ClientRecord);
        byte[] room = new byte[record.Length];
        (RecordType type, int length) = opener.Open(
            new RecordHeader(RecordType.ApplicationData, record.Length - 5), new ReadOnlySequence<byte>(record, 5, record.Length - 5), room);
        Assert.Equal(RecordType.ApplicationData, type);
        Assert.Equal(Enumerable.Range(0, 50), room[..length].Select(value => (int)value));
    }

    [Fact]
    public void TheSecretAfterAKeyUpdateIsAnother()
    {
        using RecordKeys keys = RecordKeys.FromSecret(s_suite, Convert.FromHexString(ClientSecret));
        keys.Update();
        Assert.NotEqual("17422dda596ed5d9acd890e3c63f5051", Convert.ToHexStringLower(keys.Key));
    }

    /// <summary>Every suite, at the lengths where something changes, in order and with the bytes cut in two anywhere.</summary>
    [Fact]
    public void WhatIsSealedIsOpened()
    {
        foreach (TlsCipherSuite id in RecordSuite.Supported)
        {
            (RecordSealer sealer, RecordOpener opener) = MakePair(RecordSuite.Of(id));
            using (sealer)
            using (opener)
            {
                foreach (int lengthBytes in (int[])[0, 1, 15, 16, 17, 4095, 16383, 16384])
                {
                    byte[] data = Payload.Of(lengthBytes);
                    byte[] record = new byte[lengthBytes + sealer.OverheadBytes];
                    Assert.Equal(record.Length, sealer.Seal(RecordType.ApplicationData, data, record));
                    byte[] room = new byte[record.Length];
                    (RecordType type, int opened) = opener.Open(HeaderOf(record), Cut(record, lengthBytes / 3), room);
                    Assert.Equal(RecordType.ApplicationData, type);
                    Payload.AssertSame(data, room[..opened]);
                }
            }
        }
    }

    /// <summary>One flipped bit anywhere, or a record out of its turn, is never opened.</summary>
    [Fact]
    public void AChangedRecordIsNotOpened()
    {
        foreach (TlsCipherSuite id in RecordSuite.Supported)
        {
            RecordSuite suite = RecordSuite.Of(id);
            for (int position = RecordHeader.SizeInBytes; position < 40; position++)
            {
                (RecordSealer sealer, RecordOpener opener) = MakePair(suite);
                using (sealer)
                using (opener)
                {
                    byte[] record = new byte[30 + sealer.OverheadBytes];
                    sealer.Seal(RecordType.ApplicationData, Payload.Of(30), record);
                    byte[] changed = [.. record];
                    changed[position] ^= 1;
                    TlsException exception = Assert.Throws<TlsException>(() => Open(opener, changed));
                    Assert.Equal(TlsAlert.BadRecordMac, exception.Alert);

                    // The control: the record as it was.
                    Assert.Equal(RecordType.ApplicationData, Open(opener, record));
                    Assert.Throws<TlsException>(() => Open(opener, record));
                }
            }
        }
    }

    private static RecordType Open(RecordOpener opener, byte[] record) => opener.Open(HeaderOf(record), Cut(record, 3), new byte[record.Length]).Type;

    private static (RecordSealer Sealer, RecordOpener Opener) MakePair(RecordSuite suite)
    {
        byte[] secret = Payload.Of(48);
        if (suite.IsTls13)
        {
            return (new(RecordKeys.FromSecret(suite, secret), 7), new(RecordKeys.FromSecret(suite, secret), 7));
        }

        (RecordKeys first, RecordKeys unused) = RecordKeys.FromMaster(suite, secret, secret.AsSpan(0, 32), secret.AsSpan(16, 32));
        (RecordKeys second, RecordKeys unusedToo) = RecordKeys.FromMaster(suite, secret, secret.AsSpan(0, 32), secret.AsSpan(16, 32));
        unused.Dispose();
        unusedToo.Dispose();
        return (new(first, 7), new(second, 7));
    }

    private static RecordHeader HeaderOf(byte[] record) => new((RecordType)record[0], record.Length - RecordHeader.SizeInBytes);

    private static ReadOnlySequence<byte> Cut(byte[] record, int firstBytes)
    {
        ReadOnlyMemory<byte> body = record.AsMemory(RecordHeader.SizeInBytes);
        Segment first = new(body[..firstBytes], 0);
        Segment last = new(body[firstBytes..], firstBytes);
        first.Link(last);
        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        internal Segment(ReadOnlyMemory<byte> memory, long position)
        {
            Memory = memory;
            RunningIndex = position;
        }

        internal void Link(Segment next) => Next = next;
    }
}
