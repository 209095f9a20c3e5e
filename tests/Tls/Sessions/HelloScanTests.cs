using System.Buffers;

namespace Ioxide.Tls.Tests;

/// <summary>A hello is found in any fragments, byte by byte; what cannot become one is refused as soon as that is known.</summary>
public class HelloScanTests
{
    [Theory, Each(1, 3, 100, 16 * 1024)]
    public async Task AHelloIsWholeWithItsLastByte(int fragmentBytes)
    {
        byte[] hello = ClientHello.Fragment(await ClientHello.CatchAsync(), fragmentBytes);
        byte[] bytes = [.. hello, 22, 3];
        HelloScan scan = new(isSecond: false);
        for (int count = 0; count < hello.Length; count++)
        {
            Assert.False(scan.IsWhole(Pieces(bytes[..count]), out _));
        }

        Assert.True(scan.IsWhole(Pieces(bytes), out int lengthBytes));
        Assert.Equal(hello.Length, lengthBytes);
    }

    [Theory]
    [InlineData("1603010000", TlsFailure.Protocol, TlsAlert.UnexpectedMessage)]
    [InlineData("1603010001011603010000", TlsFailure.Protocol, TlsAlert.UnexpectedMessage)]
    [InlineData("160301000102", TlsFailure.Protocol, TlsAlert.UnexpectedMessage)]
    [InlineData("1703030003", TlsFailure.Protocol, TlsAlert.UnexpectedMessage)]
    [InlineData("1403030001", TlsFailure.Protocol, TlsAlert.UnexpectedMessage)]
    [InlineData("160301000101" + "1503010002", TlsFailure.PeerAlert, null)]
    [InlineData("1603014001", TlsFailure.Protocol, TlsAlert.RecordOverflow)]
    [InlineData("160301000401008001", TlsFailure.Protocol, TlsAlert.IllegalParameter)]
    [InlineData("160301000101" + "16030100030080010000", TlsFailure.Protocol, TlsAlert.IllegalParameter)]
    public void WhatCannotBecomeAHelloIsRefusedAtOnce(string bytes, TlsFailure failure, TlsAlert? alert)
    {
        TlsException exception = Assert.Throws<TlsException>(() => new HelloScan(isSecond: false).IsWhole(Pieces(bytes), out _));
        Assert.Equal((failure, alert), (exception.Failure, exception.Alert));
    }

    [Fact]
    public void FragmentsTakeNoMoreThanTheBoundTogether()
    {
        const int MessageBytes = 10_000;
        byte[] fragments = ClientHello.Fragment([22, 3, 1, 0, 0, 1, 0, MessageBytes >> 8, MessageBytes & 0xff, .. new byte[MessageBytes]], 1);
        HelloScan scan = new(isSecond: false);
        Assert.False(scan.IsWhole(Pieces(fragments[..(HelloScan.MaxBytes - 6)]), out _));
        Assert.Equal(TlsAlert.IllegalParameter, Assert.Throws<TlsException>(() => scan.IsWhole(Pieces(fragments), out _)).Alert);
    }

    [Theory]
    [InlineData("140303000101" + "160303000401000000", 6)]
    [InlineData("1703030002aabb" + "160303000401000000", 7)]
    [InlineData("160303000401000000", 9)]
    public void WhatMayComeBeforeASecondHelloIsTakenAlone(string bytes, int expectedBytes)
    {
        Assert.True(new HelloScan(isSecond: true).IsWhole(Pieces(bytes), out int lengthBytes));
        Assert.Equal(expectedBytes, lengthBytes);
    }

    private static ReadOnlySequence<byte> Pieces(string bytes) => Pieces(Convert.FromHexString(bytes));

    private static ReadOnlySequence<byte> Pieces(byte[] bytes) => new(bytes);
}
