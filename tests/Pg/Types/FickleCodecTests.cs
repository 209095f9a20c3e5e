using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>A codec that breaks its promise fails its own command: no message with a wrong length goes out.</summary>
public class FickleCodecTests : OneConnectionTests
{
    [Theory, Each(1, -1)]
    public async Task AValueThatIsWrittenLongerOrShorterThanItWasMeasuredIsNotSent(int growth)
    {
        PgCodec.Register(new FickleCodec());
        PgStatement<Fickle> statement = PgStatement.Create<Fickle>("select $1::text"u8);
        Assert.Equal("four", await Db.Query(statement, new Fickle("four", 0)).ScalarAsync<string>().Within(20.Seconds()));

        var error = await Assert.ThrowsAnyAsync<InvalidOperationException>(
            () => Db.Query(statement, new Fickle("four", growth)).ScalarAsync<string>().Within(20.Seconds()));

        Assert.Contains("another length", error.Message, StringComparison.Ordinal);
        Assert.Equal("next", await Db.Query(statement, new Fickle("next", 0)).ScalarAsync<string>().Within(20.Seconds()));
        Assert.Equal(1, Db.Opened());
    }

    /// <summary>Its text grows by <paramref name="growth"/> characters when it has been measured.</summary>
    private sealed class Fickle(string text, int growth)
    {
        private bool _isMeasured;

        internal string Text => growth < 0 && _isMeasured ? text[..^-growth] : _isMeasured ? text + new string('x', growth) : text;

        internal int Measure()
        {
            int length = Text.Length;
            _isMeasured = true;
            return length;
        }
    }

    private sealed class FickleCodec : PgCodec<Fickle>
    {
        public override uint TypeId => PgTypeId.Text;

        public override int Measure(Fickle value) => value.Measure();

        public override void Write(Fickle value, Span<byte> destination) => Encoding.ASCII.GetBytes(value.Text, destination);

        public override Fickle Read(PgField field) => throw new NotSupportedException();
    }
}
